// What blocks waited for: one stacked bar a point, and one for each SM of a simulation.

const waitNames = {
  working: 'working',
  hbm: 'device memory',
  l2: 'L2',
  tensor: 'tensor unit',
  exp: 'exponentials',
  fma: 'fma',
  alu: 'alu',
  shared: 'shared memory',
  order: 'order of steps',
  store: 'stores',
  barrier: 'barriers',
  launch: 'launches'
};

const waitText = (cause) => waitNames[cause] ?? cause;

/** Stacked bars: a dataset for each cause that any of `rows` (objects of shares by cause) has. */
const waitDatasets = (rows, causes, colours) =>
    causes.map((cause, index) => ({
                 label: waitText(cause),
                 kind: 'waits',
                 cause,
                 stack: 'waits',
                 data: rows.map((row) => 100 * (row[cause] ?? 0)),
                 backgroundColor: cause === 'working' ? colours.line :
                     index > colours.series.length    ? hatch(colours.surface, seriesColour(colours, index - 1)) :
                                                        seriesColour(colours, index - 1),
               }));

const presentCauses = (rows) => {
  const names =
      ['working', ...new Set(rows.flatMap(Object.keys))].filter((name, index, all) => all.indexOf(name) === index);
  return names.filter((name) => rows.some((row) => (row[name] ?? 0) > 0));
};

const stackedOptions = (colours, along) => {
  const options = baseOptions(colours);
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.labels.usePointStyle = false;
  options.plugins.legend.labels.boxWidth = 14;
  options.plugins.tooltip.callbacks = {
    label: ({dataset, dataIndex}) => `${dataset.label}: ${Number(dataset.data[dataIndex].toPrecision(3))} %`
  };
  const shares = {
    ...axis(colours, 'share of the time that blocks are resident', {ticks: {callback: (value) => `${value} %`}}),
    stacked: true,
    min: 0,
    max: 100
  };
  const names = {...axis(colours, along === 'y' ? '' : 'SM', {grid: {display: false}}), stacked: true};
  if (along === 'y') names.title.display = false;
  options.indexAxis = along;
  options.scales = along === 'y' ? {x: shares, y: names} : {x: names, y: shares};
  return options;
};

/** Working apart, so that waits of a few percent can be told from each other: the axis begins where all still work. */
const waitConfiguration = (rows, labels, along) => {
  const colours = theme();
  const options = stackedOptions(colours, along);
  const values = along === 'y' ? options.scales.x : options.scales.y;
  const working = Math.min(...rows.map((row) => 100 * (row.working ?? 0)));
  values.min = working > 60 ? Math.max(0, Math.floor((working - (100 - working) / 2) / 5) * 5) : 0;
  return {type: 'bar', data: {labels, datasets: waitDatasets(rows, presentCauses(rows), colours)}, options};
};

const waitFigures = (rows, names, what) => {
  const causes = presentCauses(rows);
  return {
    columns: [column(what), ...causes.map((cause) => column(waitText(cause), '%'))],
    rows: rows.map((row, index) => [names[index], ...causes.map((cause) => 100 * (row[cause] ?? 0))])
  };
};

const largestWait = (waits) => {
  const causes = Object.entries(waits).filter(([cause, value]) => cause !== 'working' && value > 0);
  if (causes.length === 0) return 'Blocks never wait.';
  const [cause, value] = causes.reduce((a, b) => (b[1] > a[1] ? b : a));
  return `Blocks work ${share(waits.working)} of their time; they wait longest for ${waitText(cause)}, ${
      share(value)}.`;
};

const waitSections = (points, swept) => {
  const waiting = points.filter(({raw}) => raw.waits);
  if (waiting.length === 0) return [];
  const frame = new ChartFrame('waits');
  frame.fixed(barHeight(waiting.length));
  const rows = waiting.map(({raw}) => raw.waits);
  const names = waiting.map((point) => describe(point, swept) || point.algorithm);
  const sentences =
      waiting.map(({raw}, index) => (waiting.length > 1 ? `${names[index]}: ` : '') + largestWait(raw.waits));
  const draw = () => frame.show(
      () => waitConfiguration(rows, names.map(barLabel), 'y'), `Shares of working and waiting. ${sentences.join(' ')}`,
      waitFigures(rows, names, 'point'));
  const section = chartSection(
      'waits', 'What blocks wait for',
      'Of all blocks on all SMs. Where they work most of the time, the axis leaves the first part out.', [], frame,
      noteList(sentences));
  return [{section, draw}];
};
