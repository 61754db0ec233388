// Traffic against one numeric dimension: a line for each combination of the others, and standard attention beside them.

const mostLines = 12;

/** The best counted point of `points`: one that fits before one that does not, then the least of the metric. */
const best = (points, metric) => {
  const rank = (point) => [metric.of(point) === null ? 2 : point.feasible ? 0 : 1, metric.of(point) ?? 0];
  return points.reduce((least, point) => {
    const [a, b] = [rank(point), rank(least)];
    return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]) ? point : least;
  });
};

/** Groups points into lines along `dim`. Tile sizes never make a line of their own: the best tiling stands at each place. */
const linesAlong = (points, dim, others, metric) => {
  const lines = new Map();
  for (const point of points) {
    if (point[dim.key] === null) continue;
    const name = keyOf(point, others);
    if (!lines.has(name)) lines.set(name, new Map());
    const places = lines.get(name);
    const place = String(point[dim.key]);
    if (!places.has(place)) places.set(place, []);
    places.get(place).push(point);
  }
  const ordered = (places) => [...places.values()].map((candidates) => best(candidates, metric)).sort((a, b) => (a[dim.key] < b[dim.key] ? -1 : 1));
  return [...lines.values()].map((places) => ordered(places)).map((line) => ({ name: describe(line[0], others) || line[0].algorithm, line }));
};

const lineDataset = ({ name, line }, index, dim, metric, colours) => {
  const data = line.filter((point) => metric.of(point) !== null).map((point) => ({ x: Number(point[dim.key]), y: Number(metric.of(point)), point }));
  const colour = colours.series[index % colours.series.length];
  const fits = (item) => item.raw?.point.feasible;
  return {
    label: name, data, kind: 'line', order: 2, borderColor: colour, backgroundColor: colour, borderWidth: 2, pointHitRadius: 8,
    borderDash: index >= colours.series.length ? [8, 3] : [],
    pointStyle: pointStyles[index % pointStyles.length],
    pointRadius: data.length > 200 ? 1.5 : 4, pointHoverRadius: 6,
    pointBorderColor: (item) => (fits(item) ?? true ? colour : colours.bad),
    pointBackgroundColor: (item) => (fits(item) ?? true ? colour : colours.surface),
    pointBorderWidth: (item) => (fits(item) ?? true ? 1 : 2),
    segment: { borderDash: (part) => (data[part.p0DataIndex].point.feasible && data[part.p1DataIndex].point.feasible ? undefined : [4, 4]) },
  };
};

/** Points without a count, as crosses on the axis. */
const uncountedDataset = (lines, dim, metric, floor, colours) => {
  const data = lines.flatMap(({ line }) => line.filter((point) => metric.of(point) === null && !point.feasible)
    .map((point) => ({ x: Number(point[dim.key]), y: floor, point })));
  return { label: 'does not fit, not counted', data, kind: 'uncounted', order: 0, showLine: false, clip: false, pointStyle: 'crossRot', pointRadius: 6,
           borderColor: colours.bad, backgroundColor: colours.bad, pointBorderWidth: 2.5 };
};

/** Standard attention for the problems of the lines, each distinct curve once. */
const standardDatasets = (lines, dim, others, metric, standard, colours) => {
  const curves = new Map();
  const names = others.filter((other) => problemDims.includes(other) && other.key !== dim.key);
  for (const { line } of lines) {
    const found = line.map((point) => ({ point, answer: standard(point, metric) })).filter(({ answer }) => answer);
    if (found.length === 0 || isStandard(line[0].algorithm)) continue;
    const data = found.map(({ point, answer }) => ({ x: Number(point[dim.key]), y: Number(answer.value), answer }));
    const curve = data.map(({ x, y }) => `${x}:${y}`).join();
    const { source, name } = found[0].answer;
    const problem = describe(line[0], names);
    if (!curves.has(curve)) curves.set(curve, { data, label: `${name.replace('_', ' ')} attention (${source})`, problem });
  }
  return [...curves.values()].map(({ data, label, problem }, index) => ({
    label: curves.size > 1 && problem ? `${label}, ${problem}` : label, data, kind: 'standard', order: 3, borderColor: colours.muted, backgroundColor: colours.muted,
    borderDash: [[7, 5], [2, 3], [10, 3, 2, 3]][index % 3], borderWidth: 2, pointRadius: 0, pointHitRadius: 6, pointStyle: 'line',
  }));
};

const breakEvenDataset = (lines, dim, metric, standard, colours) => {
  const firsts = lines.filter(({ line }) => !isStandard(line[0].algorithm)).map(({ line }) => breakEven(line, metric, standard).first).filter(Boolean);
  const data = firsts.map((point) => ({ x: Number(point[dim.key]), y: Number(metric.of(point)), point }));
  return { label: 'break-even', data, kind: 'break-even', order: 1, showLine: false, pointStyle: 'rectRot', pointRadius: 10, pointHoverRadius: 11, pointHitRadius: 0,
           borderColor: colours.ink, backgroundColor: 'transparent', pointBorderWidth: 2 };
};

const lineTooltip = (dim, metric) => ({
  title: ([item]) => (item ? `${dim.label} = ${shown(item.raw.point?.[dim.key] ?? BigInt(item.raw.x), dim)}${dim.unit === 'elements' ? ' elements' : ''}` : ''),
  label: ({ dataset, raw }) => (raw.answer ? [dataset.label, metric.text(raw.answer.value)] : [dataset.label, ...pointLines(raw.point)]),
  footer: ([item]) => (item?.raw.point ? pointFooter(item.raw.point) : []),
});

/** The Chart.js configuration of `lines` along `dim`. */
const lineConfiguration = (lines, dim, others, metric, standard) => {
  const colours = theme();
  const isBudget = budgetKeys.includes(dim.key);
  const drawn = lines.map((line, index) => lineDataset(line, index, dim, metric, colours));
  const references = standardDatasets(lines, dim, others, metric, standard, colours);
  const heights = [...drawn, ...references].flatMap(({ data }) => data.map(({ y }) => y));
  const [floor, ceiling] = spread(heights.length > 0 ? heights : [1], 0.08);
  const marks = isBudget ? [breakEvenDataset(lines, dim, metric, standard, colours)] : [];
  const uncounted = uncountedDataset(lines, dim, metric, floor, colours);
  const places = [...new Set([...drawn, uncounted].flatMap(({ data }) => data.map(({ x }) => x)))].sort((a, b) => a - b);
  const [left, right] = spread(places.length > 0 ? places : [1], 0.04);
  const options = baseOptions(colours);
  options.plugins.tooltip.callbacks = lineTooltip(dim, metric);
  options.plugins.legend.labels.filter = (item, data) => ['line', 'standard'].includes(data.datasets[item.datasetIndex].kind);
  const budgetText = (value) => (dim.key === 'sram_bytes' ? binary(value) : grouped(BigInt(Math.round(value))));
  options.scales = {
    x: { ...numericAxis(colours, dim.unit ? `${dim.title ?? dim.label} (${dim.unit})` : dim.title ?? dim.label, places, { text: budgetText, isBinary: dim.key === 'sram_bytes', atValues: true }), min: left, max: right },
    y: { ...numericAxis(colours, metric.title, heights, { text: metric.tick, isBinary: metric.binary }), min: floor, max: ceiling },
  };
  const datasets = [...drawn, ...references, ...marks, uncounted].filter(({ data, kind }) => data.length > 0 || kind === 'line');
  return { type: 'line', data: { datasets }, options };
};
