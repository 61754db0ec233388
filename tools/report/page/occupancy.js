// The page of `occupancy`: how many blocks each limit allows on an SM, and which limit binds.

const limitNames = {
  shared_memory: 'shared memory',
  registers: 'registers',
  warps: 'warps',
  blocks: 'blocks'
};

const blockName = ({kernel, algorithm, layout, tiling, device}) =>
    `${kernel ?? layout ?? algorithm}${tiling ? ` ${tiling.block_q} x ${tiling.block_k}` : ''} on ${device}`;

const occupancyConfiguration = (points) => {
  const colours = theme();
  const options = baseOptions(colours);
  options.interaction = {mode: 'nearest', intersect: true};
  options.indexAxis = 'y';
  options.plugins.legend.labels.usePointStyle = false;
  options.plugins.legend.labels.boxWidth = 14;
  options.scales = {
    x: {
      ...axis(colours, 'blocks of an SM that the limit allows', {ticks: {precision: 0}}),
      type: 'linear',
      beginAtZero: true
    },
    y: nameAxis(colours)
  };
  const datasets = Object.keys(limitNames).map((limit, index) => ({
                                                 label: limitNames[limit],
                                                 kind: 'limit',
                                                 data: points.map(({blocks_by: by}) => Number(by?.[limit] ?? 0)),
                                                 backgroundColor: seriesColour(colours, index),
                                                 maxBarThickness: 16
                                               }));
  datasets.push({
    label: 'resident',
    kind: 'resident',
    data: points.map(({resident_blocks: blocks}) => Number(blocks ?? 0)),
    backgroundColor: colours.ink,
    maxBarThickness: 16
  });
  return {type: 'bar', data: {labels: points.map((point) => barLabel(blockName(point))), datasets}, options};
};

const occupancyFigures = (points) => ({
  columns: [
    column('block'), column('resident', 'blocks'), column('limited by'), column('warps', '%'),
    ...Object.values(limitNames).map((name) => column(`by ${name}`, 'blocks')), column('shared memory', 'bytes'),
    column('of', 'bytes'), column('registers', 'a thread'), column('remark')
  ],
  rows: points.map(
      (point) =>
          [blockName(point), integer(point.resident_blocks), [point.limiter ?? []].flat().join(', '),
           point.occupancy?.percent ?? null,
           ...Object.keys(limitNames).map((limit) => integer(point.blocks_by?.[limit])), integer(point.shared_bytes),
           integer(point.shared_limit_bytes), integer(point.registers_per_thread), point.reason ?? ''])
});

const occupancyHeadline = (points) => {
  const fitting = points.filter(({resident_blocks: blocks}) => Number(blocks ?? 0) > 0);
  if (fitting.length === 0) return `No block fits: ${points[0]?.reason ?? 'no point was asked for'}`;
  const best =
      fitting.reduce((a, b) => (Number(b.occupancy?.percent ?? 0) > Number(a.occupancy?.percent ?? 0) ? b : a));
  const text = `${blockName(best)}: ${plural(Number(best.resident_blocks), 'block')} an SM`;
  const warps = best.occupancy ? `, ${shownCell(best.occupancy.percent)} % of its warps` : '';
  const limit = [best.limiter ?? []].flat();
  const rest = points.length > 1 ? ` It is the fullest of ${points.length}; ${fitting.length} fit.` : '';
  return `${text}${warps}${limit.length > 0 ? `, limited by ${listed(limit)}` : ''}.${rest}`;
};

const warningsOf = (points) => {
  const said = points.flatMap((point) => (point.warnings ?? []).map((text) => [text, blockName(point)]));
  const texts = new Map();
  for (const [text, name] of said) texts.set(text, [...(texts.get(text) ?? []), name]);
  return [...texts].map(([text, names]) => (names.length === points.length ? text : `${names.join('; ')}: ${text}`));
};

/** The chart where there are few blocks and all have limits; else the table alone. */
const showOccupancies = (report) => {
  const points = report.points ?? [report];
  const figures = occupancyFigures(points);
  const notes = noteList(warningsOf(points));
  const place = document.getElementById('sections');
  if (points.length > mostBars || points.some(({blocks_by: by}) => !by)) {
    place.append(tableSection('occupancies', 'All blocks', figures, {buttons: [jsonButton(report)], below: [notes]}));
    return occupancyHeadline(points);
  }
  const frame = new ChartFrame('limits');
  frame.fixed(`${Math.max(14, 8 + 6.5 * points.length)}rem`);
  frame.buttons.push(jsonButton(report));
  place.append(chartSection(
      'limits', 'What each limit allows', 'Resident blocks are the least of the limits.', [], frame, notes));
  frame.show(
      () => occupancyConfiguration(points),
      `Blocks of an SM that each limit allows, ${plural(points.length, 'block')}.`, figures);
  return occupancyHeadline(points);
};
