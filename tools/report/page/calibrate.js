// The page of `calibrate`: what the fits leave over, and the fitted figures with their intervals.

const residualRows = (report) =>
    report.kernels.flatMap(({kernel, residuals}) => residuals.map((residual) => ({
                                                                    kernel,
                                                                    held: false,
                                                                    metric: 'time',
                                                                    role: 'fitted',
                                                                    problem: residual.source,
                                                                    measured: residual.measured_seconds,
                                                                    predicted: residual.predicted_seconds,
                                                                    error: residual.error,
                                                                    low: null
                                                                  })));

const residualFigures = (rows) => ({
  columns: [column('kernel'), column('source'), column('measured', 's'), column('fitted', 's'), column('error', '%')],
  rows: rows.map(({kernel, problem, measured, predicted, error}) => [kernel, problem, measured, predicted, 100 * error])
});

/** Fitted figures of a kernel as horizontal marks with their intervals; what was expected is a line through 1. */
const factorConfiguration = ({figures}) => {
  const colours = theme();
  const names = figures.map(({key}) => key.replace(/^fit\.[^.]*\./, ''));
  const options = baseOptions(colours);
  options.indexAxis = 'y';
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.display = false;
  options.plugins.tooltip.callbacks = {
    title: () => '',
    label: ({dataIndex}) => {
      const {key, value, unit, half_width95: half, meaning} = figures[dataIndex];
      return [
        `${key}: ${Number(value.toPrecision(4))} ${unit}${half === null ? '' : ` +- ${half}`}`, ...wrapped(meaning)
      ];
    }
  };
  options.scales = {
    x: {...axis(colours, 'fitted value, each in its unit', {ticks: {maxRotation: 0}}), type: 'linear'},
    y: nameAxis(colours)
  };
  const reach = figures.map(({value, half_width95: half}) => value + (half ?? 0));
  options.scales.x.suggestedMax = Math.max(...reach);
  const dataset = {
    label: 'fitted',
    kind: 'factors',
    data: figures.map(({value}) => value),
    backgroundColor: figures.map(({determined}) => (determined ? colours.series[0] : colours.line)),
    whiskers:
        figures.map(({value, half_width95: half}) => (typeof half === 'number' ? [value - half, value + half] : null)),
    whiskerColour: colours.ink,
    maxBarThickness: 18
  };
  return {type: 'bar', data: {labels: names, datasets: [dataset]}, options};
};

const factorFigures = ({figures}) => ({
  columns: [
    column('figure'), column('value', '', true), column('unit'), column('half width 95 %', '', true),
    column('expected', '', true), column('determined'), column('meaning')
  ],
  rows: figures.map(
      ({key, value, unit, half_width95: half, expected, determined, meaning}) =>
          [key, value, unit, half ?? null, expected ?? null, determined ? 'yes' : 'no', meaning])
});

const factorSection = (report) => {
  const frame = new ChartFrame('factors');
  frame.fixed('22rem');
  const draw = (index) => {
    const kernel = report.kernels[Number(index)];
    frame.show(
        () => factorConfiguration(kernel), `Fitted figures of ${kernel.kernel} with their 95 % intervals.`,
        factorFigures(kernel));
  };
  const choice = chooser('kernel', report.kernels.map(({kernel}, index) => [String(index), kernel]), '0', draw);
  const section = chartSection(
      'factors', 'Fitted figures',
      'Whiskers: 95 % intervals. Grey: the data do not determine it; it stays near what was expected.', [choice],
      frame);
  return {section, draw: () => draw('0')};
};

const residualSection = (rows) => {
  const frame = new ChartFrame('scatter');
  const section = chartSection(
      'scatter', 'Fitted against measured',
      'Both axes logarithmic. Drag over the chart to zoom; double-click to reset.', [], frame);
  const draw = () => frame.show(
      () => scatterConfiguration(rows), `Fitted against measured times, ${plural(rows.length, 'row')}.`,
      residualFigures(rows));
  return {section, draw};
};

const kernelFits = (report) => ({
  columns: [
    column('kernel'), column('observations', '', true), column('mean error', '%'), column('largest error', '%'),
    column('spread', '%')
  ],
  rows: report.kernels.map(
      ({kernel, observations, mean_error: mean, most_error: most, spread}) =>
          [kernel, integer(observations), 100 * mean, 100 * most, typeof spread === 'number' ? 100 * spread : null])
});

const calibrationHeadline = (report) => {
  const count = report.kernels.reduce((sum, {observations}) => sum + Number(observations), 0);
  if (count === 0) return 'Nothing was fitted.';
  const mean =
      report.kernels.reduce((sum, {observations, mean_error: error}) => sum + Number(observations) * error, 0) / count;
  const worst = report.kernels.reduce((a, b) => (b.mean_error > a.mean_error ? b : a));
  return `${plural(report.kernels.length, 'kernel')} fitted to ${plural(count, 'time')}: ${share(mean)} mean error; ${
      worst.kernel} is the worst, ${share(worst.mean_error)}.`;
};

const showCalibration = (report) => {
  const rows = residualRows(report);
  const charts = report.kernels.length > 0 ? [residualSection(rows), factorSection(report)] : [];
  const place = document.getElementById('sections');
  place.append(
      ...charts.map(({section}) => section),
      tableSection('kernels', 'Fits by kernel', kernelFits(report), {buttons: [jsonButton(report)]}));
  if (report.notes?.length > 0)
    place.append(tableSection(
        'notes', 'What was left out', {columns: [column('note')], rows: report.notes.map((note) => [note])}));
  drawAll(charts);
  return calibrationHeadline(report);
};
