// The page of `complexity`: fitted exponents with their intervals, distances to lower bounds, and every table.

const exponentName = ({
  algorithm,
  variant,
  blocks,
  figure,
  quantity
}) => [algorithm, variant, blocks === 'none' ? null : blocks, figure, `of ${quantity}`].filter(Boolean).join(' ');

const isExponent = ({figure, value}) => figure.startsWith('exponent') && typeof value === 'number';

const exponentConfiguration = (figures) => {
  const colours = theme();
  const options = baseOptions(colours);
  options.indexAxis = 'y';
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.display = false;
  options.plugins.tooltip.callbacks = {
    title: () => '',
    label: ({dataIndex}) => {
      const {value, half_width_95: half, range} = figures[dataIndex];
      return [
        exponentName(figures[dataIndex]), `${Number(value.toPrecision(5))} +- ${Number((half ?? 0).toPrecision(2))}`,
        ...wrapped(range ?? '')
      ];
    }
  };
  options.scales = {x: {...axis(colours, 'fitted exponent'), type: 'linear'}, y: nameAxis(colours)};
  const dataset = {
    label: 'exponent',
    kind: 'exponents',
    data: figures.map(({value}) => value),
    backgroundColor: figures.map(({ok}) => (ok === false ? colours.bad : colours.series[0])),
    whiskers:
        figures.map(({value, half_width_95: half}) => (typeof half === 'number' ? [value - half, value + half] : null)),
    whiskerColour: colours.ink,
    maxBarThickness: 16
  };
  return {
    type: 'bar',
    data: {labels: figures.map((figure) => barLabel(exponentName(figure))), datasets: [dataset]},
    options
  };
};

const exponentFigures = (figures) => ({
  columns: [
    column('figure'), column('value', '', true), column('half width 95 %', '', true), column('accepted from', '', true),
    column('to', '', true), column('points', '', true), column('range'), column('holds')
  ],
  rows: figures.map(
      (figure) =>
          [exponentName(figure), figure.value, figure.half_width_95 ?? null, figure.accepted?.from ?? null,
           figure.accepted?.to ?? null, integer(figure.points), figure.range ?? '', figure.ok === false ? 'NO' : 'yes'])
});

const exponentSection = (report) => {
  const theorems = report.theorems.map(({name, title, figures}) => ({name, title, figures: figures.filter(isExponent)}))
                       .filter(({figures}) => figures.length > 0);
  if (theorems.length === 0) return null;
  const frame = new ChartFrame('exponents');
  const draw = (index) => {
    const {title, figures} = theorems[Number(index)];
    frame.fixed(barHeight(figures.length * 0.8));
    frame.show(() => exponentConfiguration(figures), `Fitted exponents: ${title}.`, exponentFigures(figures));
  };
  const choice =
      chooser('theorem', theorems.map(({name, title}, index) => [String(index), `${name}: ${title}`]), '0', draw);
  const section = chartSection(
      'exponents', 'Fitted exponents',
      'Of counted figures at random points. Whiskers: 95 % intervals, often narrower than a line.', [choice], frame);
  return {section, draw: () => draw('0')};
};

/** Traffic over the best lower bound known, against M, a line for each algorithm and rule. */
const distanceConfiguration = (rows) => {
  const colours = theme();
  const lines = new Map();
  for (const row of rows) {
    const name = `${row.algorithm}${row.blocks === 'none' ? '' : `, ${row.blocks}`}`;
    lines.set(name, [...(lines.get(name) ?? []), row]);
  }
  const datasets = [...lines].map(([label, own], index) => ({
                                    label,
                                    kind: 'distance',
                                    data: own.map((row) => ({x: Number(row.sram_elements), y: row.ratio, row})),
                                    showLine: true,
                                    borderColor: seriesColour(colours, index),
                                    backgroundColor: seriesColour(colours, index),
                                    borderDash: [[], [7, 4], [2, 3]][Math.floor(index / colours.series.length) % 3],
                                    pointStyle: pointStyles[index % pointStyles.length],
                                    borderWidth: 1.5
                                  }));
  const places = [...new Set(rows.map(({sram_elements: place}) => Number(place)))].sort((a, b) => a - b);
  const heights = [1, ...rows.map(({ratio: distance}) => distance)];
  const [left, right] = spread(places, 0.04);
  const [floor, ceiling] = spread(heights, 0.06);
  const options = baseOptions(colours);
  options.plugins.legend.labels.generateLabels = dashedLegend;
  options.plugins.tooltip.callbacks = {
    title: () => '',
    label: ({dataset, raw}) =>
        [dataset.label,
         `${times(raw.y)} the bound "${raw.row.bound}" at M = ${grouped(integer(raw.row.sram_elements))}`]
  };
  options.scales = {
    x: {
      ...numericAxis(
          colours, 'M (elements)', places, {text: (value) => grouped(BigInt(Math.round(value))), atValues: true}),
      min: left,
      max: right
    },
    y: {...numericAxis(colours, 'traffic over lower bound', heights, {text: times}), min: floor, max: ceiling}
  };
  return {type: 'scatter', data: {datasets}, options};
};

const distanceSection = (report) => {
  const usable = report.distances.filter(({ratio: distance, sram_elements: place}) => distance > 0 && place);
  if (usable.length === 0) return null;
  const shapeOf = ({seq, head_dim: dim}) => `N ${seq}, d ${dim}`;
  const shapes = [...new Set(usable.map(shapeOf))];
  const rules = [...new Set(usable.map(({blocks}) => blocks))].filter((rule) => rule !== 'none');
  const state = {shape: shapes[0], rule: rules.includes('fit') ? 'fit' : rules[0] ?? 'none'};
  const frame = new ChartFrame('distances');
  const draw = () => {
    const rows = usable.filter((row) => shapeOf(row) === state.shape && [state.rule, 'none'].includes(row.blocks));
    frame.show(
        () => distanceConfiguration(rows),
        `Traffic over the best lower bound known, ${state.shape}, tiles by rule ${state.rule}.`,
        figuresOfObjects(rows.map(({reason, ...row}) => row)));
  };
  const choice = (label, key, values) =>
      values.length < 2 ? null : chooser(label, values.map((value) => [value, value]), state[key], (value) => {
        state[key] = value;
        draw();
      });
  const section = chartSection(
      'distances', 'Distance to the lower bound',
      'One is the bound itself: no algorithm of its class can be below. Both axes logarithmic.',
      [choice('problem', 'shape', shapes), choice('tiles', 'rule', rules)], frame);
  return {section, draw};
};

const complexityHeadline = (report) => {
  const wrong = report.theorems.filter(({ok}) => ok === false);
  const held = report.theorems.length - wrong.length;
  const theorems = report.theorems.length === 0 ?
      [] :
      [wrong.length === 0 ?
           `All ${plural(held, 'theorem')} hold on counted traffic.` :
           `${held} of ${plural(report.theorems.length, 'theorem')} hold; not ${listed(wrong.map(({name}) => name))}.`];
  const even = report.break_even.find(
      ({algorithm, blocks, sram_elements: place}) => algorithm === 'flash1' && blocks === 'fit' && place);
  const breaks = even ?
      [`flash1 breaks even with ${even.opponent} attention at M = ${
          grouped(integer(even.sram_elements))} elements (N = ${grouped(integer(even.seq))}, d = ${even.head_dim}).`] :
      [];
  return [...theorems, ...breaks].join(' ') || tablesHeadline(report);
};

const showComplexity = (report) => {
  const charts = [exponentSection(report), distanceSection(report)].filter(Boolean);
  document.getElementById('sections').append(...charts.map(({section}) => section));
  showTables(report);
  drawAll(charts);
  return complexityHeadline(report);
};
