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

const bestTable = (result) => smallTable(
    resultText(result), ['tiles', 'traffic (elements)', 'traffic (bytes)', 'on chip (elements)', 'on chip (bytes)'],
    result.best.map(
        ({traffic, sram, ...tiling}) =>
            [tilingText(tiling),
             ...[traffic.elements, traffic.bytes, sram.elements, sram.bytes].map((value) => grouped(integer(value)))]));

const bestSection = (results) => element(
    'section', {id: 'best', 'aria-labelledby': 'best-heading'}, element('h2', {id: 'best-heading'}, 'Least traffic'),
    ...results.map((result) => (result.best.length > 0 ? bestTable(result) : element('p', {}, result.reason))));

const rejectedSection = (results) => element(
    'section', {id: 'rejected', 'aria-labelledby': 'rejected-heading'},
    element('h2', {id: 'rejected-heading'}, 'Rejected candidates'), ...results.map((result) => {
      const rejected = result.candidates.filter(({feasible}) => !feasible);
      const heading = `${resultText(result)}: ${grouped(BigInt(rejected.length))} of ${
          plural(result.candidates.length, 'candidate')}`;
      const rows = rejected.map(
          (tiling) => element('li', {}, `${tilingText(tiling)}, ${plural(Number(tiling.stages), 'stage')}: ${
              tiling.reason}`));
      return element('details', {}, element('summary', {}, heading), element('ul', {class: 'notes'}, ...rows));
    }));

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
  document.getElementById('summary')
      .append(element(
          'dl', {class: 'facts', id: 'run'}, fact('command', `tilemeter ${report.command}`),
          fact('version', report.version), fact('results', grouped(BigInt(results.length)))));
  const charts = tuneCharts(results);
  document.getElementById('sections')
      .append(bestSection(results), ...charts.map(({section}) => section), rejectedSection(results));
  charts.forEach(({draw}) => draw());
};
