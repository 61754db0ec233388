// The charts of `validate`: predicted against measured, errors against length, what a time is made of, the ladder.

const kernelsOf = (rows) => [...new Set(rows.map(({kernel}) => kernel))];

/** Leaves the held-out rows of a kernel out of the legend where others of it stand there. */
const shortLegend = (options, datasets) => {
  const kernels = new Set(datasets.filter(({kind}) => kind === 'rows').map(({label}) => label));
  options.plugins.legend.labels.filter = ({text}) => !kernels.has(text.replace(/, held out$/, '')) || kernels.has(text);
};

/** A dataset a kernel and role; held-out rows are hollow triangles. */
const kernelDatasets = (rows, colours, place, errorBars = () => ({})) =>
    kernelsOf(rows).flatMap((kernel, index) => [false, true].map((held) => {
      const own = rows.filter((row) => row.kernel === kernel && row.held === held);
      const colour = colours.series[index % colours.series.length];
      return {
        label: held ? `${kernel}, held out` : kernel,
        kind: held ? 'held out' : 'rows',
        data: own.map((row) => ({...place(row), row})),
        ...errorBars(own, colour),
        pointStyle: held ? 'triangle' : ['circle', 'rect', 'rectRot', 'rectRounded', 'star'][Math.floor(index / colours.series.length) % 5],
        pointRadius: held ? 6 : 4,
        pointBorderWidth: held ? 2 : 1,
        borderColor: colour,
        backgroundColor: held ? colours.surface : colour,
      };
    })).filter(({data}) => data.length > 0);

const guideLine = (label, data, colours, dashed) => ({
  label,
  kind: 'guide',
  data,
  showLine: true,
  pointRadius: 0,
  pointHitRadius: 0,
  pointStyle: 'line',
  borderColor: colours.muted,
  backgroundColor: colours.muted,
  borderWidth: 1,
  borderDash: dashed ? [5, 4] : [],
  order: 9,
});

const rowTooltip = (options) => {
  options.plugins.tooltip.callbacks = {title: () => '', label: ({raw}) => (raw.row ? rowLines(raw.row) : [])};
  options.plugins.tooltip.filter = ({raw}) => raw.row !== undefined;
};

/** The interval of each prediction upright, the spread of each measurement sideways. */
const rowWhiskers = (rows, colour) => ({
  whiskers: rows.map(({low, high}) => (low === null ? null : [low, high])),
  sideways: rows.map(({measuredRange: range}) => range ?? null),
  whiskerColour: colour
});

const scatterConfiguration = (rows) => {
  const colours = theme();
  const drawn = rows.filter(({measured, predicted}) => measured > 0 && predicted > 0);
  const figures = drawn.flatMap(({measured, predicted}) => [measured, predicted]);
  const [low, high] = spread(figures, 0.04);
  const options = baseOptions(colours);
  rowTooltip(options);
  const text = (value) => (rows[0]?.metric === 'time' ? duration(value) : binary(value));
  const isBinary = rows[0]?.metric !== 'time';
  const side = (title) => ({...numericAxis(colours, title, figures, {isBinary, text}), min: low, max: high});
  options.scales = {x: side('measured'), y: side('predicted')};
  const lines = [['equal', 1, false], ['10 % more', 1.1, true], ['10 % less', 0.9, true]].map(
      ([label, factor, dashed]) =>
          guideLine(label, [{x: low, y: low * factor}, {x: high, y: high * factor}], colours, dashed));
  const datasets = [...kernelDatasets(drawn, colours, ({measured, predicted}) => ({x: measured, y: predicted}), rowWhiskers), ...lines];
  shortLegend(options, datasets);
  return {type: 'scatter', data: {datasets}, options};
};

const errorConfiguration = (rows) => {
  const colours = theme();
  const drawn = rows.filter(({length, error}) => length !== null && error !== null);
  const lengths = drawn.map(({length}) => length);
  const [low, high] = spread(lengths, 0.04);
  const options = baseOptions(colours);
  rowTooltip(options);
  options.scales = {
    x: {
      ...numericAxis(colours, 'N, the longer of queries and keys', [...new Set(lengths)].sort((a, b) => a - b), {
        isBinary: true,
        atValues: true,
        text: (value) => String(value)
      }),
      min: low,
      max: high
    },
    y: {...axis(colours, 'error: predicted / measured - 1', {ticks: {callback: (value) => `${Number(value.toFixed(1))} %`}}), type: 'linear'},
  };
  const datasets = [
    ...kernelDatasets(drawn, colours, ({length, error}) => ({x: length, y: 100 * error})),
    guideLine('exact', [{x: low, y: 0}, {x: high, y: 0}], colours, false)
  ];
  shortLegend(options, datasets);
  return {type: 'scatter', data: {datasets}, options};
};

/** The bars of a predicted time: from where to where each part reaches, and what was measured. */
const timeParts = (row, colours) => {
  const {floor} = row.parts;
  const bounds = resourceNames.map((name) => [name, row.parts[name]]).filter(([, seconds]) => seconds > 0);
  const largest = Math.max(0, ...bounds.map(([, seconds]) => seconds));
  const part = (name, from, to) => [name, from, to, colours.series[0], null];
  return [
    part('launches', 0, floor),
    ...bounds.sort((a, b) => b[1] - a[1]).map(([name, seconds]) => part(resourceText[name], floor, floor + seconds)),
    part('not hidden under the largest', Math.min(floor + largest, row.predicted), row.predicted),
    ['predicted', 0, row.predicted, colours.ink, row.low === null ? null : [row.low, row.high]],
    ['measured', 0, row.measured, colours.bad, row.measuredRange],
  ];
};

const ladderConfiguration = (steps) => {
  const colours = theme();
  const options = baseOptions(colours);
  options.interaction = {mode: 'index', intersect: false};
  options.scales = {
    x: axis(colours, 'rung on the one that it builds on', {ticks: {maxRotation: 60}}),
    y: axis(colours, 'gain', {ticks: {callback: (value) => `${value} %`}}),
  };
  const bars = (label, key, colour) => ({
    label,
    kind: label,
    data: steps.map((step) => 100 * step[key]),
    backgroundColor: colour,
    maxBarThickness: 22,
  });
  const datasets =
      [bars('measured', 'measured_gain', colours.bad), bars('predicted', 'predicted_gain', colours.series[0])];
  const labels = steps.map(({rung, below}) => `${rung.replace(/^.*_rung/, '')} on ${below.replace(/^.*_rung/, '')}`);
  return {type: 'bar', data: {labels, datasets}, options};
};
