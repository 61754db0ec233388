// Traffic against one numeric dimension: a line for each combination of the others, and standard attention beside them.

const lineTooltip = (dim, metric) => ({
  title: ([item]) =>
      (item ? `${dim.label} = ${shown((item.raw.point ?? item.raw.bound)?.[dim.key] ?? BigInt(item.raw.x), dim)}${
                  dim.unit === 'elements' ? ' elements' : ''}` :
              ''),
  label: ({dataset, raw}) => {
    if (raw.answer) return [dataset.label, metric.text(raw.answer.value)];
    return raw.bound ? [dataset.label, metric.text(lowerBound(raw.bound, metric))] :
                       [dataset.label, ...pointLines(raw.point)];
  },
  footer: ([item]) => (item?.raw.point ? pointFooter(item.raw.point) : []),
});

/** Legend entries in the colour and dash of the line, whatever its first point looks like. */
const lineLegend = (chart) =>
    chart.data.datasets
        .map((dataset, datasetIndex) => ({
               datasetIndex,
               text: shortened(dataset.label),
               kind: dataset.kind,
               hidden: !chart.isDatasetVisible(datasetIndex),
               fontColor: theme().ink,
               strokeStyle: dataset.borderColor,
               fillStyle: dataset.borderColor,
               pointStyle: dataset.pointStyle,
               lineWidth: 2,
               lineDash: dataset.kind === 'line' ? [] :
                   dataset.kind === 'bound'      ? [2, 3] :
                                                   [4, 3],
             }))
        .filter(({kind}) => ['line', 'standard', 'bound'].includes(kind))
        .filter(
            ({text, kind}, index, all) => kind !== 'bound' || all.findIndex((other) => other.text === text) === index);

/** The Chart.js configuration of `lines` along `dim`. */
const lineConfiguration = (lines, dim, others, metric, standard) => {
  const colours = theme();
  const isBudget = budgetKeys.includes(dim.key);
  const drawn = lines.map((line, index) => lineDataset(line, index, dim, metric, colours));
  const references = standardDatasets(lines, dim, others, metric, standard, colours);
  const bounds = boundDatasets(lines, dim, metric, colours);
  const heights = [...drawn, ...references, ...bounds].flatMap(({data}) => data.map(({y}) => y));
  const [floor, ceiling] = spread(heights.length > 0 ? heights : [1], 0.08);
  const marks = isBudget ? [breakEvenDataset(lines, dim, metric, standard, colours)] : [];
  const uncounted = uncountedDataset(lines, dim, metric, floor, colours);
  const places = [...new Set([...drawn, uncounted].flatMap(({data}) => data.map(({x}) => x)))].sort((a, b) => a - b);
  const [left, right] = spread(places.length > 0 ? places : [1], 0.04);
  const options = baseOptions(colours);
  options.plugins.tooltip.callbacks = lineTooltip(dim, metric);
  options.plugins.legend.labels.generateLabels = lineLegend;
  const budgetText = (value) => (dim.key === 'sram_bytes' ? binary(value) : grouped(BigInt(Math.round(value))));
  options.scales = {
    x: {
      ...numericAxis(
          colours, dim.unit ? `${dim.title ?? dim.label} (${dim.unit})` : dim.title ?? dim.label, places,
          {text: budgetText, isBinary: dim.key === 'sram_bytes', atValues: true}),
      min: left,
      max: right
    },
    y: {
      ...numericAxis(colours, metric.title, heights, {text: metric.tick, isBinary: metric.binary}),
      min: floor,
      max: ceiling
    },
  };
  const datasets = [...drawn, ...references, ...bounds, ...marks, uncounted].filter(
      ({data, kind}) => data.length > 0 || kind === 'line');
  return {type: 'line', data: {datasets}, options};
};
