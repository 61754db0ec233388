// The page of `measure`: measured times with their spread, the rates they come to, and the gates that came before.

/** A row a point and regime; figures are numbers or null. */
const measuredRows = (report) => report.points.flatMap((point) => point.times.map((time) => {
  const figure = (value) => (typeof value === 'number' ? value : null);
  return {
    point,
    time,
    name: `${point.kernel}, ${problemText(point.problem)}, ${time.regime}`,
    median: figure(time.seconds?.median),
    range: time.seconds ? [time.seconds.p5, time.seconds.p95] : null,
    flops: figure(time.flops_per_second),
    peak: figure(time.share_of_peak),
    bytes: figure(time.edge_bytes_per_second),
    hbm: figure(time.share_of_hbm),
  };
}));

const measureFigures = (rows) => ({
  columns: [
    column('kernel'), column('problem'), column('regime'), column('median', 's'), column('half width 95 %', 's'),
    column('5th percentile', 's'), column('95th percentile', 's'), column('rate', 'FLOP/s'), column('of peak', '%'),
    column('SM edge', 'B/s'), column('of device memory', '%'), column('valid')
  ],
  rows: rows.map(
      ({point, time, median, flops, peak, bytes, hbm}) =>
          [point.kernel, problemText(point.problem), time.regime, median, time.seconds?.half_width95 ?? null,
           time.seconds?.p5 ?? null, time.seconds?.p95 ?? null, flops, peak === null ? null : 100 * peak, bytes,
           hbm === null ? null : 100 * hbm, time.valid === false ? `no: ${time.invalid ?? ''}` : 'yes'])
});

const gateFigures = (report) => ({
  columns: [
    column('kernel'), column('problem'), column('numbers agree'), column('read', 'bytes'), column('written', 'bytes'),
    column('counters equal the ledger'), column('remark')
  ],
  rows: report.points.map(
      (point) =>
          [point.kernel, problemText(point.problem), point.gate ? (point.gate.ok ? 'yes' : 'NO') : null,
           integer(point.traffic?.bytes?.read), integer(point.traffic?.bytes?.write),
           point.traffic ? (point.traffic.equals_ledger ? 'yes' : 'NO') : null, point.failure ?? point.reason ?? ''])
});

const measuredHeadline = (rows, gpu) => {
  const timed = rows.filter(({median}) => median !== null);
  if (timed.length === 0) return 'Nothing was timed.';
  const score = ({peak, hbm}) => Math.max(peak ?? 0, hbm ?? 0);
  const best = timed.reduce((a, b) => (score(b) > score(a) ? b : a));
  const rate = best.flops !== null && (best.peak ?? 0) >= (best.hbm ?? 0) ?
      `${flopRateText(best.flops)}${best.peak === null ? '' : `, ${share(best.peak)} of the peak`}` :
      best.bytes !== null                              ? `${bandwidthText(best.bytes)} at the SM edge` :
                                                         '';
  const last = rate ? `: ${rate}` : '';
  return `${best.point.kernel} takes ${duration(best.median)} on ${gpu.name} (${problemText(best.point.problem)}, ${
      best.time.regime} L2)${last}${timed.length > 1 ? `, the best of ${timed.length} times` : ''}.`;
};

const measureVerdict = (report) => {
  const run = report.points.filter(({gate}) => gate);
  const wrong = report.points.filter(
      ({gate, traffic, failure}) => failure || gate?.ok === false || traffic?.equals_ledger === false);
  if (wrong.length > 0) return ['bad', `${plural(wrong.length, 'point')} of ${report.points.length} failed a gate`];
  if (run.length === 0) return ['warn', 'No point passed the gates'];
  return [
    'good', `${plural(run.length, 'point')}: numbers agree with the reference, counters equal the simulator's ledger`
  ];
};

const showMeasurements = (report) => {
  const rows = measuredRows(report).filter(({median}) => median !== null);
  const [kind, verdict] = measureVerdict(report);
  document.getElementById('summary').append(
      element('p', {class: `verdict ${kind}`, id: 'verdict', role: 'status'}, verdict));
  const place = document.getElementById('sections');
  if (rows.length > 0) {
    const frame = new ChartFrame('measured');
    frame.fixed(barHeight(rows.length));
    const bars = (colours) =>
        rows.map(({name,
                   median,
                   range,
                   time}) => [name, 0, median, seriesColour(colours, time.regime === 'cold' ? 0 : 1), range]);
    place.append(chartSection(
        'measured', 'Measured times',
        'Medians; whiskers from the 5th to the 95th percentile. Cold: after a flush of the L2.', [], frame));
    frame.show(
        () => timeBarConfiguration(bars(theme()), 'measured', theme()),
        `Measured times of ${plural(rows.length, 'row')}.`, measureFigures(rows));
  }
  place.append(tableSection('gates', 'What was checked first', gateFigures(report), {buttons: [jsonButton(report)]}));
  return measuredHeadline(rows, report.gpu);
};
