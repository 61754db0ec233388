// The sections with charts: which apply, what their controls choose, and the sentences under them.

const lineKey = (lines, dim, metric, standard) => {
  const points = lines.flatMap(({line}) => line);
  const reached = budgetKeys.includes(dim.key) &&
      lines.some(({line}) => !isStandard(line[0].algorithm) && breakEven(line, metric, standard).first);
  return [
    reached ? keyEntry('diamond', 'break-even: smallest swept M that is not above standard attention') : null,
    points.some((point) => lowerBound(point, metric) !== null) ?
        keyEntry('dotted', 'lower bound: every needed input once, every output once') :
        null,
    points.some((point) => !point.feasible && metric.of(point) !== null) ?
        keyEntry('hollow', 'does not fit the budget, counted all the same') :
        null,
    points.some((point) => !point.feasible && metric.of(point) === null) ?
        keyEntry('cross', 'does not fit, not counted (on the axis)') :
        null,
  ].filter(Boolean);
};

const standardNote = (lines, metric, standard) => {
  const used = lines.map(({line}) => standard(line[0], metric)).filter((answer) => answer?.source === 'closed form');
  return [...new Set(used.map(({name}) => name))].map(
      (name) => element(
          'li', {},
          `Standard attention is not among the points; its line is the idealised bill, every operand read once and no mask: ${
              closedFormText[name]}.`));
};

/** Lines along one dimension: `dim` is swept, `swept` are all swept dimensions. */
const lineSection = (id, heading, points, dim, swept, standard) => {
  const others = swept.filter((other) => other !== dim && !tilingKeys.includes(other.key));
  const compared = points.filter((point) => !isStandard(point.algorithm));
  const own = compared.length > 0 ? compared : points;
  const choices = new Choices(own, others, mostLines);
  const state = {metric: metricsOf(points)[0] ?? metrics[0]};
  const frame = new ChartFrame(id);
  const key = element('ul', {class: 'key'});
  const notes = element('ul', {class: 'notes'});
  const changed = () => {
    const lines = linesAlong(choices.matching(), dim, others, state.metric);
    const sentences = budgetKeys.includes(dim.key) && state.metric.key !== 'seconds' ?
        lines
            .map(
                ({name, line}) =>
                    (isStandard(line[0].algorithm) ? null : breakEvenText(name, line, dim, state.metric, standard)))
            .filter(Boolean) :
        [];
    const configure = () => lineConfiguration(lines, dim, others, state.metric, standard);
    frame.show(
        configure, `${heading}: ${plural(lines.length, 'line')}. ${sentences.join(' ')}`,
        lineFigures(lines, dim, state.metric, standard));
    key.replaceChildren(...lineKey(lines, dim, state.metric, standard));
    notes.replaceChildren(
        ...sentences.map((text) => element('li', {class: 'break-even'}, text)),
        ...standardNote(lines, state.metric, standard));
  };
  const best = swept.some((other) => tilingKeys.includes(other.key) && other !== dim) ?
      ' Where several tilings were swept, the one with the least traffic stands for them.' :
      '';
  const section = chartSection(
      id, heading, `Drag over the chart to zoom; double-click to reset.${best}`,
      [metricChooser(points, state, changed), ...choices.controls(true, changed)], frame, key, notes);
  return {section, draw: changed};
};

const heatScale = (slice, metric) => {
  const range = heatRange(slice, metric);
  const bar = element('span', {class: 'scale', 'aria-hidden': 'true'});
  bar.style.background =
      `linear-gradient(90deg, ${[0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1].map(heat).join(', ')})`;
  return [
    range ? element('li', {}, metric.tick(range[0]), bar, metric.tick(range[1])) : null,
    minimum(slice, metric) ? keyEntry('ring', 'minimum among those that fit') : null,
    slice.some((point) => !point.feasible) ? keyEntry('hatch', 'does not fit') : null,
  ].filter(Boolean);
};

/** The map of block_q x block_k, with a choice for every other swept dimension. */
const heatSection = (points, swept) => {
  const own = points.filter((point) => point.block_q !== null && point.block_k !== null);
  const others =
      swept.filter(({key}) => key !== 'block_q' && key !== 'block_k' && valuesOf(own, heatDimension(key)).length > 1);
  const choices = new Choices(own, others, 1);
  const state = {metric: metricsOf(points)[0] ?? metrics[0]};
  const frame = new ChartFrame('blocks');
  const key = element('ul', {class: 'key'});
  const note = element('p', {id: 'minimum'});
  const changed = () => {
    const slice = choices.matching();
    note.textContent = minimumText(minimum(slice, state.metric), state.metric);
    key.replaceChildren(...heatScale(slice, state.metric));
    frame.show(
        () => heatConfiguration(slice, state.metric),
        `Map of ${state.metric.title} over block_q and block_k, ${plural(slice.length, 'tiling')}. ${note.textContent}`,
        heatFigures(slice, state.metric));
  };
  const section = chartSection(
      'blocks', 'Traffic over tile sizes', 'Each cell is one tiling; hover for its figures, drag to zoom.',
      [metricChooser(points, state, changed), ...choices.controls(false, changed)], frame, key, note);
  return {section, draw: changed};
};

const barSection = (points, swept) => {
  const counted = points.filter((point) => point.elements);
  const state = {metric: metrics[0]};
  const frame = new ChartFrame('tensors');
  frame.fixed(barHeight(counted.length));
  const changed = () => frame.show(
      () => barConfiguration(counted, swept, state.metric), 'Reads and writes of each tensor, stacked.',
      barFigures(counted, swept, state.metric));
  const choice = metricChooser(counted.map((point) => ({...point, seconds: null})), state, changed);
  const section = chartSection('tensors', 'Traffic by tensor', 'Solid: reads. Hatched: writes.', [choice], frame);
  return {section, draw: changed};
};

const sectionId = (dim) => (budgetKeys.includes(dim.key) ? 'budget' : dim.key.replaceAll('_', '-'));

/** The chart sections that apply to these points, in reading order. */
const chartSections = (points) => {
  const swept = sweptDimensions(points);
  const standard = standardTable(points);
  const has = (key) => swept.some((dim) => dim.key === key);
  const mapped = has('block_q') && has('block_k');
  const numeric = swept.filter(
      (dim) =>
          dim.numeric && valuesOf(points, dim).length > 1 && !(mapped && ['block_q', 'block_k'].includes(dim.key)));
  const budgets = numeric.filter((dim) => budgetKeys.includes(dim.key));
  const rest = numeric.filter((dim) => !budgets.includes(dim));
  const sections = budgets.map(
      (dim) => lineSection(
          budgets.length > 1 ? `budget-${dim.unit}` : 'budget', `Traffic against the SRAM budget M (${dim.unit})`,
          points, dim, swept, standard));
  if (mapped) sections.push(heatSection(points, swept));
  sections.push(...rest.map(
      (dim) => lineSection(sectionId(dim), `Traffic against ${dim.title ?? dim.label}`, points, dim, swept, standard)));
  const few = points.filter((point) => tensorsOf([point]).length > 0).length;
  if (sections.length === 0 && few > 0 && few <= mostBars) sections.push(barSection(points, swept));
  return sections;
};
