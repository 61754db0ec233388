// The page of `tune`: the best tilings, traffic against memory on chip, and the map of candidates.

/** A tiling of one result as a point of the charts; its memory on chip stands for the budget M. */
const tuneCharted = (result, tiling, memory, traffic, more = {}) => readPoint(
    {
      algorithm: result.algorithm,
      problem: result.problem,
      device: result.device,
      tiling: {block_q: tiling.block_q, block_k: tiling.block_k, stages: tiling.stages},
      sram: {...memory, placement: result.budget.placement},
      traffic,
      ...more
    },
    0);

const frontPoints = (result) => result.front.tilings.map((tiling) => {
  const unit = result.front.unit;
  return tuneCharted(
      result, tiling, {[`capacity_${unit}`]: tiling.on_chip}, {[unit]: {total: tiling.traffic}});
});

const candidatePoints = (result) => result.candidates.map((tiling) => {
  const memory = {
    capacity_elements: result.budget.capacity_elements,
    capacity_bytes: result.budget.capacity_bytes,
    peak_elements: tiling.sram.elements,
    peak_bytes: tiling.sram.bytes
  };
  const traffic =
      tiling.traffic ? {elements: {total: tiling.traffic.elements}, bytes: {total: tiling.traffic.bytes}} : null;
  const warning = tiling.spills ? 'likely to spill registers' : null;
  return tuneCharted(
      result, tiling, memory, traffic, {feasible: tiling.feasible, reason: tiling.reason ?? warning});
});

const tilingText = (tiling) => ['block_m', 'block_n', 'block_q', 'block_k', 'block_d']
                                   .filter((size) => tiling[size] !== undefined)
                                   .map((size) => grouped(integer(tiling[size])))
                                   .join(' x ');

const resultText = (result) => `${result.algorithm}, ${result.order}, within ${result.budget.owner}`;

/** Times in us: the engine's, where it ran the tiling, and the closed form's. */
const timesOf = ({time}) => {
  if (!time) return [null, null];
  return [time.source === 'engine' ? time.seconds * 1e6 : null, (time.closed_form_seconds ?? time.seconds) * 1e6];
};

/** Columns that only some documents have, with their cells. */
const bestExtras = (tilings) => [
  ...(tilings.some(({time}) => time) ?
          [
            [column('simulated', 'us'), (tiling) => timesOf(tiling)[0]],
            [column('closed form', 'us'), (tiling) => timesOf(tiling)[1]]
          ] :
          []),
  ...(tilings.some(({warnings}) => warnings) ?
          [[column('warnings', '', false), ({warnings}) => (warnings ?? []).join('; ')]] :
          [])
];

const bestFigures = (results) => {
  const extras = bestExtras(results.flatMap(({best}) => best));
  return {
    columns: [
      column('result'), column('tiles', 'rows', false), column('stages', '', true), column('traffic', 'elements'),
      column('traffic', 'bytes'), column('on chip', 'elements'), column('on chip', 'bytes'),
      ...extras.map(([extra]) => extra)
    ],
    rows: results.flatMap((result) => result.best.map((tiling) => {
      const {traffic, sram} = tiling;
      return [
        resultText(result), tilingText(tiling), integer(tiling.stages),
        ...[traffic.elements, traffic.bytes, sram.elements, sram.bytes].map(integer),
        ...extras.map(([, cell]) => cell(tiling))
      ];
    }))
  };
};

const bestSection = (report) => {
  const without = report.results.filter(({best}) => best.length === 0).map((result) => `${resultText(result)}: ${result.reason}`);
  return tableSection(
      'best', report.by === 'time' ? 'Least time' : 'Least traffic', bestFigures(report.results),
      {buttons: [jsonButton(report)], below: [noteList(without)]});
};

/** "moves least with tiles of 380 x 1: 6.3 M elements with 49,911 on chip", or what is fastest. */
const bestText = (report, first) => {
  if (report.by === 'time' && first.time) {
    const stages = first.stages === undefined ? '' : `, stages ${first.stages}`;
    return `is fastest with tiles of ${tilingText(first)}${stages}: ${duration(first.time.seconds)}`;
  }
  return `moves least with tiles of ${tilingText(first)}: ${decimal(integer(first.traffic.elements))} elements with ${
      grouped(integer(first.sram.elements))} on chip`;
};

const tuneHeadline = (report) => {
  const found = report.results.filter(({best}) => best.length > 0);
  if (found.length === 0) return 'No tiling fits.';
  const measure = ({best: [first]}) =>
      report.by === 'time' && first.time ? first.time.seconds : integer(first.traffic.elements);
  const result = least(found, measure);
  const [first] = result.best;
  const rejected = result.candidates.filter(({feasible}) => !feasible).length;
  return `${result.algorithm} ${bestText(report, first)}, within ${result.budget.owner}. ${grouped(BigInt(rejected))} of ${
      plural(result.candidates.length, 'candidate')} do not fit.`;
};

const rejectedFigures = (results) => ({
  columns: [column('result'), column('tiles', 'rows', false), column('stages', '', true), column('reason')],
  rows: results.flatMap((result) => result.candidates.filter(({feasible}) => !feasible)
                                        .map(
                                            (tiling) =>
                                                [resultText(result), tilingText(tiling), integer(tiling.stages), tiling.reason]))
});

/** Rejected candidates may be thousands; each with its reason. */
const rejectedSection = (results) => {
  const figures = rejectedFigures(results);
  const folded = new FoldedFigures('rejected');
  const said = results.map((result) => `${resultText(result)}: ${
      grouped(BigInt(result.candidates.filter(({feasible}) => !feasible).length))} of ${plural(result.candidates.length, 'candidate')} rejected.`);
  folded.show('Rejected candidates', figures, 'Rejected candidates');
  return element(
      'section', {id: 'rejected', 'aria-labelledby': 'rejected-heading'},
      element('h2', {id: 'rejected-heading'}, 'Rejected candidates'),
      element(
          'div', {class: 'bar'}, element('span', {class: 'space'}), csvButton('rejected', () => figures, 'rejected candidates')),
      noteList(said), folded.details);
};

/** Traffic against memory on chip, and the map of candidates, as sections of charts. */
const tuneCharts = (results) => {
  const fronts = results.flatMap(frontPoints);
  const swept = sweptDimensions(fronts);
  const budgets = budgetKeys.map((key) => dimensions.find((dim) => dim.key === key))
                      .filter((dim) => fronts.some((point) => point[dim.key] !== null));
  const lines = budgets.map(
      (dim) => lineSection(
          budgets.length > 1 ? `front-${dim.unit}` : 'front', `Traffic against memory on chip (${dim.unit})`,
          fronts.filter((point) => point[dim.key] !== null), dim, swept.filter(({key}) => !budgetKeys.includes(key)),
          standardTable(fronts)));
  const candidates = results.flatMap(candidatePoints);
  return candidates.length > 0 ? [...lines, heatSection(candidates, sweptDimensions(candidates))] : lines;
};

const showTune = (report) => {
  const {results} = report;
  mergeTwins(results.flatMap(frontPoints));
  const charts = tuneCharts(results);
  document.getElementById('sections')
      .append(bestSection(report), ...charts.map(({section}) => section), rejectedSection(results));
  drawAll(charts);
  return tuneHeadline(report);
};
