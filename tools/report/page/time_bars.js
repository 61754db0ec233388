// Bars of times: what a predicted time is made of, and times beside each other with their intervals.

const resourceNames = ['tensor', 'exp', 'fma', 'alu', 'shared', 'l2', 'hbm'];
const resourceText = {
  tensor: 'tensor unit',
  exp: 'exponentials',
  fma: 'fma',
  alu: 'alu',
  shared: 'shared memory',
  l2: 'L2',
  hbm: 'device memory'
};

/** Horizontal bars of `[name, from, to, colour, [low, high] or null]` over a time axis. */
const timeBarConfiguration = (bars, kind, colours) => {
  const options = baseOptions(colours);
  options.indexAxis = 'y';
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.display = false;
  options.plugins.tooltip.callbacks = {
    title: () => '',
    label: ({dataIndex}) => {
      const [name, from, to, , range] = bars[dataIndex];
      return [`${name}: ${duration(to - from)}`, ...(range ? [`${duration(range[0])} to ${duration(range[1])}`] : [])];
    }
  };
  const most = Math.max(...bars.flatMap(([, , to, , range]) => [to, ...(range ?? [])]));
  options.scales = {
    x: {
      ...axis(colours, 'time', {ticks: {callback: (value) => duration(value), maxRotation: 0, autoSkipPadding: 16}}),
      beginAtZero: true,
      suggestedMax: most
    },
    y: nameAxis(colours),
  };
  const dataset = {
    label: 'seconds',
    kind,
    data: bars.map(([, from, to]) => [from, to]),
    backgroundColor: bars.map(([, , , colour]) => colour),
    whiskers: bars.map(([, , , , range]) => range ?? null),
    whiskerColour: colours.ink,
    maxBarThickness: 26,
  };
  return {type: 'bar', data: {labels: bars.map(([name]) => barLabel(name)), datasets: [dataset]}, options};
};

const timeBarFigures = (bars, what) => {
  const hasRange = bars.some(([, , , , range]) => range);
  return {
    columns: [
      column(what), column('from', 's'), column('to', 's'), column('time', 's'),
      ...(hasRange ? [column('low', 's'), column('high', 's')] : [])
    ],
    rows: bars.map(
        ([name, from, to, ,
          range]) => [name, from, to, to - from, ...(hasRange ? [range?.[0] ?? null, range?.[1] ?? null] : [])])
  };
};

const timedPoints = (points) => points.filter(({seconds, raw}) => seconds !== null && raw.time.bounds);

const intervalOf = ({raw}) => {
  const [low, high] = [raw.time.low, raw.time.high];
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : null;
};

/** Every resource alone behind the launches, then the whole time with its interval, and the roofline. */
const boundBars = (point, colours) => {
  const {bounds, floor_seconds: floor = 0, roofline_seconds: roofline, binding} = point.raw.time;
  const resources = resourceNames.filter((name) => bounds[name] > 0).sort((a, b) => bounds[b] - bounds[a]);
  return [
    ...(floor > 0 ? [['launches', 0, floor, colours.muted, null]] : []),
    ...resources.map(
        (name) =>
            [resourceText[name], floor, floor + bounds[name], seriesColour(colours, name === binding ? 1 : 0), null]),
    [point.raw.sms ? 'simulated' : 'predicted', 0, point.seconds, colours.ink, intervalOf(point)],
    ...(typeof roofline === 'number' ? [['roofline', 0, roofline, colours.muted, null]] : []),
  ];
};

/** A section that shows one point at a time, which a drop-down chooses. */
const pointwiseSection = (id, heading, intro, points, swept, configure, label, figures, height = null) => {
  const frame = new ChartFrame(id);
  frame.fixed(height);
  const draw = (index) => {
    const point = points[Number(index)];
    const name = describe(point, swept) || point.algorithm;
    frame.show(() => configure(point), `${heading}: ${name}. ${label(point)}`, figures(point));
  };
  const names = points.map((point, index) => [String(index), describe(point, swept) || point.algorithm]);
  const choice = points.length > 1 ? chooser('point', names, '0', draw) : null;
  return {section: chartSection(id, heading, intro, [choice], frame), draw: () => draw('0')};
};

const boundsSection = (points, swept) => pointwiseSection(
    'bounds', 'What the time is made of',
    'Each resource alone, behind the launches; the one that binds stands out. The whisker is the interval from all work overlapped to none.',
    points, swept, (point) => timeBarConfiguration(boundBars(point, theme()), 'bounds', theme()),
    (point) => `${duration(point.seconds)}, ${bindingText(point)}.`,
    (point) => timeBarFigures(boundBars(point, theme()), 'part'));

/** The times of several points beside each other. */
const timesSection = (points, swept) => {
  const frame = new ChartFrame('times');
  frame.fixed(barHeight(points.length));
  const bars = (colours) => points.map(
      (point) =>
          [describe(point, swept) || point.algorithm, 0, point.seconds, seriesColour(colours, 0), intervalOf(point)]);
  const draw = () => frame.show(
      () => timeBarConfiguration(bars(theme()), 'times', theme()),
      `Predicted times of ${plural(points.length, 'point')}.`, timeBarFigures(bars(theme()), 'point'));
  const section = chartSection('times', 'Times', 'Whiskers: the interval of each time.', [], frame);
  return {section, draw};
};

const mostTimed = 24;

/** The sections about time that these points have. */
const timeSections = (points) => {
  const timed = timedPoints(points);
  if (timed.length === 0 || timed.length > mostTimed) return [];
  const swept = sweptDimensions(points);
  const hasLines = swept.some(({numeric, key}) => numeric && !tilingKeys.includes(key));  // which show the times better
  return [
    ...(timed.length > 1 && !hasLines ? [timesSection(timed, swept)] : []), boundsSection(timed, swept),
    ...waitSections(points, swept), ...smSections(points, swept)
  ];
};
