// The roofline chart: one roof a memory level with its ridge, operations as marks, both axes logarithmic.

const roofLine = (roofline, level, [left, right], more) => {
  const places = [...new Set([left, Math.min(Math.max(level.ridge, left), right), right])].sort((a, b) => a - b);
  return {
    data: places.map((x) => ({x, y: allowed(roofline, level, x)})),
    showLine: true,
    pointRadius: 0,
    pointHitRadius: 0,
    pointStyle: 'line',
    borderWidth: 2,
    order: 4,
    ...more
  };
};

const roofDatasets = (roofline, range, colours) => {
  const roofs = roofline.levels.map(
      (level, index) => roofLine(roofline, level, range, {
        label: `${levelName(level.level)}, ${bandwidthText(level.bandwidth)}, ridge ${intensityText(level.ridge)}`,
        kind: 'roof',
        borderColor: colours.series[index],
        backgroundColor: colours.series[index],
      }));
  if (roofline.share === null || roofline.share === 1) return roofs;
  const memory = roofline.levels[0];
  const bandwidth = memory.bandwidth * roofline.share;
  const slower = {level: memory.level, bandwidth, ridge: roofline.peak / bandwidth};
  return [
    ...roofs, roofLine(roofline, slower, range, {
      label: `device memory as sustained, ${Number((roofline.share * 100).toPrecision(3))} %`,
      kind: 'sustained',
      borderColor: colours.series[0],
      backgroundColor: colours.series[0],
      borderDash: [6, 4],
    })
  ];
};

const markDataset = (label, kind, data, look) => ({label, kind, data, showLine: false, pointHitRadius: 8, ...look});

const ridgeDataset = (roofline, colours) => markDataset(
    'ridge', 'ridge',
    roofline.levels.map(
        (level) =>
            ({x: level.ridge, y: roofline.peak, lines: [`ridge of ${levelName(level.level)}`, intensityText(level.ridge)]})),
    {pointStyle: 'rectRot', pointRadius: 8, borderColor: colours.ink, backgroundColor: 'transparent', order: 1});

const markLines = (mark, roofline, level, bytes, what, intensity) => [
  mark.name,
  `${grouped(mark.flops)} FLOPs`,
  `${grouped(bytes)} bytes, ${what}`,
  `${intensityText(intensity)}; ${levelName(level.level)} leaves ${flopRateText(allowed(roofline, level, intensity))}, ${
      Number((100 * allowed(roofline, level, intensity) / roofline.peak).toPrecision(3))} % of the peak`,
];

const placed = (marks, roofline, level, bytes, intensity, what) =>
    marks.filter((mark) => mark[intensity] !== null)
        .map((mark) => ({
               x: mark[intensity],
               y: allowed(roofline, level, mark[intensity]),
               lines: markLines(mark, roofline, level, mark[bytes], what, mark[intensity])
             }));

const operationDatasets = (marks, roofline, colours) => {
  const memory = roofline.levels[0];
  const edge = edgeLevel(roofline);
  const measured = marks.filter((mark) => mark.measured !== null && mark.hbmIntensity !== null);
  return [
    markDataset(
        'compulsory bytes', 'compulsory', placed(marks, roofline, memory, 'hbm', 'hbmIntensity', 'compulsory'),
        {pointStyle: 'circle', pointRadius: 5, borderColor: colours.series[2], backgroundColor: colours.series[2], order: 2}),
    markDataset(
        'bytes at the SM edge', 'edge', placed(marks, roofline, edge, 'edge', 'edgeIntensity', 'at the SM edge'), {
          pointStyle: 'triangle',
          pointRadius: 6,
          borderColor: colours.series[3],
          backgroundColor: colours.surface,
          pointBorderWidth: 2,
          order: 3
        }),
    markDataset(
        'measured', 'measured',
        measured.map((mark) => ({x: mark.hbmIntensity, y: mark.measured, lines: [mark.name, `measured ${flopRateText(mark.measured)}`]})),
        {pointStyle: 'star', pointRadius: 8, borderColor: colours.bad, backgroundColor: colours.bad, order: 0}),
  ].filter(({data}) => data.length > 0);
};

/** The Chart.js configuration of `marks` under `roofline`. */
const rooflineConfiguration = (roofline, marks) => {
  const colours = theme();
  const operations = operationDatasets(marks, roofline, colours);
  const marked = operations.flatMap(({data}) => data);
  const ridges = roofline.levels.map(({ridge}) => ridge);
  const range = spread([...marked.map(({x}) => x), ...ridges, Math.min(...ridges) / 30, Math.max(...ridges) * 8], 0.05);
  const lowest = Math.min(...roofline.levels.map(({bandwidth}) => bandwidth)) * range[0] * (roofline.share ?? 1);
  const heights = [lowest, roofline.peak, ...marked.map(({y}) => y)];
  const [floor, ceiling] = spread(heights, 0.06);
  const options = baseOptions(colours);
  options.plugins.legend.labels.generateLabels = dashedLegend;
  options.plugins.tooltip.callbacks = {title: () => '', label: ({raw}) => raw.lines ?? []};
  options.plugins.tooltip.filter = ({raw}) => raw.lines !== undefined;
  options.scales = {
    x: {
      ...numericAxis(colours, 'intensity (FLOP/B)', range, {text: (value) => String(Number(value.toPrecision(3)))}),
      min: range[0],
      max: range[1]
    },
    y: {
      ...numericAxis(colours, 'attainable (FLOP/s)', heights, {text: (value) => flopRateText(value)}),
      min: floor,
      max: ceiling
    },
  };
  const datasets = [...roofDatasets(roofline, range, colours), ridgeDataset(roofline, colours), ...operations];
  return {type: 'scatter', data: {datasets}, options};
};
