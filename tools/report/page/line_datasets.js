// The Chart.js datasets of a chart of lines: the lines, what could not be counted, standard attention, break-even.

const lineDataset = ({name, line}, index, dim, metric, colours) => {
  const data = line.filter((point) => metric.of(point) !== null)
                   .map((point) => ({x: Number(point[dim.key]), y: Number(metric.of(point)), point}));
  const colour = colours.series[index % colours.series.length];
  const fits = (item) => item.raw?.point.feasible;
  return {
    label: name,
    data,
    kind: 'line',
    order: 2,
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: 2,
    pointHitRadius: 8,
    borderDash: index >= colours.series.length ? [8, 3] : [],
    pointStyle: pointStyles[index % pointStyles.length],
    pointRadius: data.length > 200 ? 1.5 : 4,
    pointHoverRadius: 6,
    pointBorderColor: (item) => (fits(item) ?? true ? colour : colours.bad),
    pointBackgroundColor: (item) => (fits(item) ?? true ? colour : colours.surface),
    pointBorderWidth: (item) => (fits(item) ?? true ? 1 : 2),
    segment: {
      borderDash: (part) =>
          (data[part.p0DataIndex].point.feasible && data[part.p1DataIndex].point.feasible ? undefined : [4, 4])
    },
  };
};

/** Points without a count, as crosses on the axis. */
const uncountedDataset = (lines, dim, metric, floor, colours) => {
  const data = lines.flatMap(
      ({line}) => line.filter((point) => metric.of(point) === null && !point.feasible)
                      .map((point) => ({x: Number(point[dim.key]), y: floor, point})));
  return {
    label: 'does not fit, not counted',
    data,
    kind: 'uncounted',
    order: 0,
    showLine: false,
    clip: false,
    pointStyle: 'crossRot',
    pointRadius: 6,
    borderColor: colours.bad,
    backgroundColor: colours.bad,
    pointBorderWidth: 2.5
  };
};

/** Standard attention for the problems of the lines: its values by place, once for each distinct curve. */
const standardCurves = (lines, names, dim, metric, standard) => {
  const curves = new Map();
  for (const point of lines.flatMap(({line}) => line)) {
    const answer = isStandard(point.algorithm) ? null : standard(point, metric);
    if (!answer) continue;
    const name = [answer.name, answer.source, keyOf(point, names)].join();
    if (!curves.has(name)) curves.set(name, {answer, point, places: new Map()});
    curves.get(name).places.set(Number(point[dim.key]), answer);
  }
  const drawn = [...curves.values()].map(({answer, point, places}) => ({
                                           answer,
                                           point,
                                           data: [...places]
                                                     .map(([x, found]) => ({x, y: Number(found.value), answer: found}))
                                                     .sort((one, other) => one.x - other.x)
                                         }));
  const shapes = drawn.map(({data}) => data.map(({x, y}) => `${x}:${y}`).join());
  return drawn.filter((_, index) => shapes.indexOf(shapes[index]) === index);
};

const standardDatasets = (lines, dim, others, metric, standard, colours) => {
  const names = others.filter(
      (other) => problemDims.includes(other) && other.key !== 'mask');  // it computes the full rectangle under any mask
  const curves = standardCurves(lines, names, dim, metric, standard);
  return curves.map(({answer, point, data}, index) => {
    const label = `${answer.name.replace('_', ' ')} attention (${answer.source})`;
    return {
      label: curves.length > 1 && names.length > 0 ? `${label}, ${describe(point, names)}` : label,
      data,
      kind: 'standard',
      order: 3,
      borderColor: colours.muted,
      backgroundColor: colours.muted,
      borderDash: [[7, 5], [2, 3], [10, 3, 2, 3]][index % 3],
      borderWidth: 2,
      pointRadius: 0,
      pointHitRadius: 6,
      pointStyle: 'line'
    };
  });
};

/** The least that any algorithm must move, once for each distinct problem of the lines. */
const boundDatasets = (lines, dim, metric, colours) => {
  const drawn = new Map();
  for (const {line} of lines) {
    const known = line.filter((point) => lowerBound(point, metric) !== null);
    const data =
        known.map((point) => ({x: Number(point[dim.key]), y: Number(lowerBound(point, metric)), bound: point}));
    if (data.length > 0) drawn.set(data.map(({x, y}) => `${x}:${y}`).join(), data);
  }
  return [...drawn.values()].map((data) => ({
                                   label: 'lower bound (compulsory)',
                                   data,
                                   kind: 'bound',
                                   order: 4,
                                   borderColor: colours.good,
                                   backgroundColor: colours.good,
                                   borderDash: [2, 4],
                                   borderWidth: 2,
                                   pointRadius: data.length === 1 ? 4 : 0,
                                   pointHitRadius: 6,
                                   pointStyle: 'line'
                                 }));
};

const breakEvenDataset = (lines, dim, metric, standard, colours) => {
  const firsts = lines.filter(({line}) => !isStandard(line[0].algorithm))
                     .map(({line}) => breakEven(line, metric, standard).first)
                     .filter(Boolean);
  const data = firsts.map((point) => ({x: Number(point[dim.key]), y: Number(metric.of(point)), point}));
  return {
    label: 'break-even',
    data,
    kind: 'break-even',
    order: 1,
    showLine: false,
    pointStyle: 'rectRot',
    pointRadius: 10,
    pointHoverRadius: 11,
    pointHitRadius: 0,
    borderColor: colours.ink,
    backgroundColor: 'transparent',
    pointBorderWidth: 2
  };
};
