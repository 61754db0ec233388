// The finding of a result in one or two sentences with figures, for counted, predicted and simulated points.

/** 3.92 as "3.9x", 65 as "65x". */
const times = (ratio) => `${Number(ratio.toPrecision(ratio < 10 ? 2 : 3))}x`;
const share = (value) => `${Number((100 * value).toPrecision(3))} %`;
const listed = (names) => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

const movedText = ({elements, bytes}) =>
    `${decimal(elements.total)} elements${bytes ? ` (${binary(bytes.total)})` : ''}`;

const least = (points, value) => points.reduce((a, b) => (value(b) < value(a) ? b : a));
const totalOf = (point) => point.elements.total;

/** "3.9x fewer than standard attention", or more; null where there is nothing to compare with. */
const againstStandard = (point, standard) => {
  const answer = isStandard(point.algorithm) ? null : standard(point, metrics[0]);
  if (!answer || answer.value === 0n || totalOf(point) === 0n) return null;
  const ratio = Number(answer.value) / Number(totalOf(point));
  return ratio >= 1 ? `${times(ratio)} fewer than standard attention` :
                      `${times(1 / ratio)} more than standard attention`;
};

const againstBound = (point) => {
  const bound = lowerBound(point, metrics[0]);
  return bound ? `${times(Number(totalOf(point)) / Number(bound))} what any algorithm must move` : null;
};

const comparisons =
    (point, standard) => [againstStandard(point, standard), againstBound(point)].filter(Boolean).join(', ');

const withComparisons = (text, point, standard) => {
  const compared = comparisons(point, standard);
  return compared ? `${text}, ${compared}` : text;
};

/** Traffic against a budget: the best line at the middle of the budgets that fit, and where it breaks even. */
const budgetHeadline = (points, dim, standard) => {
  const own = points.filter((point) => point.elements && point[dim.key] !== null);
  const fitting = own.filter((point) => point.feasible && !isStandard(point.algorithm));
  if (fitting.length === 0) return null;
  const budgets = valuesOf(fitting, dim);
  const middle = budgets[Math.floor((budgets.length - 1) / 2)];
  const chosen = least(fitting.filter((point) => point[dim.key] === middle), totalOf);
  const line = own.filter(
                      (point) => point.algorithm === chosen.algorithm &&
                          keyOf(point, problemDims) === keyOf(chosen, problemDims))
                   .sort((a, b) => (a[dim.key] < b[dim.key] ? -1 : 1));
  const {first, before} = breakEven(line, metrics[0], standard);
  const text = withComparisons(
      `${chosen.algorithm} moves ${movedText(chosen)} at M = ${shown(middle, dim)}${
          dim.unit === 'elements' ? ' elements' : ''}`,
      chosen, standard);
  if (first === null) return `${text}.`;
  const where = shown(first[dim.key], dim);
  return `${text}; it breaks even ${before === null ? `at or below M = ${where}` : `by M = ${where}`}.`;
};

const blocksHeadline = (points, standard) => {
  const counted = points.filter((point) => point.elements && point.block_q !== null);
  const fitting = counted.filter(({feasible}) => feasible);
  if (fitting.length === 0) return null;
  const best = least(fitting, totalOf);
  const text = `${best.algorithm} moves least with tiles of ${grouped(best.block_q)} x ${grouped(best.block_k)}: ${
      movedText(best)}`;
  return `${withComparisons(text, best, standard)}. Of ${plural(points.length, 'tiling')} ${
      grouped(BigInt(fitting.length))} fit.`;
};

/** Along a length or another size: what the best does at the largest. */
const sizeHeadline = (points, dim, standard) => {
  const counted = points.filter((point) => point.elements && !isStandard(point.algorithm) && point.feasible);
  if (counted.length === 0) return null;
  const values = valuesOf(counted, dim);
  const best = least(counted.filter((point) => point[dim.key] === values.at(-1)), totalOf);
  const text = `At ${dim.label} = ${shown(values.at(-1), dim)} ${best.algorithm} moves least: ${movedText(best)}`;
  return `${withComparisons(text, best, standard)}.`;
};

const countHeadline = (points, standard) => {
  const counted = points.filter(({elements}) => elements);
  if (counted.length === 0) return 'Nothing was counted: no tiling fits.';
  const best = least(counted, totalOf);
  const names = [...new Set(counted.map(({algorithm}) => algorithm))];
  const text = names.length > 1 ? `Of ${listed(names)}, ${best.algorithm} moves least: ${movedText(best)}` :
                                  `${best.algorithm} moves ${movedText(best)}`;
  return `${withComparisons(text, best, standard)}.`;
};

const bindingText = ({raw}) => {
  const {binding, share_of_peak: peak} = raw.time;
  return [
    `bound by ${
        binding === 'hbm'    ? 'device memory' :
            binding === 'l2' ? 'the L2' :
                               `the ${binding} unit`}`,
    peak ? `${share(peak)} of the peak` : null
  ].filter(Boolean)
      .join(', ');
};

const timeHeadline = (points) => {
  const timed = points.filter(({seconds}) => seconds !== null);
  if (timed.length === 0) return null;
  const best = least(timed, ({seconds}) => seconds);
  const where = best.device ? ` on ${best.device}` : '';
  if (timed.length === 1) return `${best.algorithm} takes ${duration(best.seconds)}${where}: ${bindingText(best)}.`;
  const worst = timed.reduce((a, b) => (b.seconds > a.seconds ? b : a));
  const name = (point) => describe(point, sweptDimensions(timed)) || point.algorithm;
  return `${name(best)} takes least, ${duration(best.seconds)}${where} (${bindingText(best)}): ${
      times(worst.seconds / best.seconds)} faster than ${name(worst)}, ${duration(worst.seconds)}.`;
};

/** What the check of real numbers says, where they were computed. */
const numericHeadline = (points) => {
  const checked = points.filter(({raw}) => raw.numeric);
  if (checked.length === 0) return null;
  const wrong = checked.filter(({raw}) => !raw.numeric.ok).length;
  const largest = Math.max(...checked.map(({raw}) => Number(raw.numeric.max_abs_error)));
  return wrong > 0 ?
      `The numbers of ${plural(wrong, 'point')} differ from the reference.` :
      `Its numbers agree with the reference in double precision: largest error ${Number(largest.toPrecision(2))}.`;
};

const rowsHeadline = (report) => {
  const [row] = report.rows;
  if (!row) return report.title ?? '';
  if (row.sequences !== undefined && row.tokens !== undefined)
    return `${grouped(integer(row.sequences))} sequences of ${grouped(integer(row.tokens))} tokens fit beside ${
        row.model} (${row.weight_format}) on ${row.memory_of}.`;
  const ridge = report.rows.find(({math_dtype: type}) => type === 'bf16') ?? row;
  if (ridge.hbm_ridge_flop_per_byte)
    return `${ridge.device} does ${flopRateText(Number(ridge.peak_flop_per_second))} in ${
        ridge.math_dtype}; an operation needs ${
        intensityText(Number(ridge.hbm_ridge_flop_per_byte))} of device memory to reach it.`;
  return report.title ?? '';
};

/** The headline of a document with points. */
const pointsHeadline = (report, points) => {
  if (report.rows) return rowsHeadline(report);
  if (points.length === 0) return 'The result has no points.';
  const standard = standardTable(points);
  const swept = sweptDimensions(points).filter(({numeric}) => numeric);
  const has = (key) => swept.some((dim) => dim.key === key);
  const budget = swept.find(({key}) => budgetKeys.includes(key));
  const isTimed = ['predict', 'simulate'].includes(report.command);
  const size = swept.find(({key}) => !tilingKeys.includes(key) && !budgetKeys.includes(key));
  const found = (isTimed && timeHeadline(points)) || (budget && budgetHeadline(points, budget, standard)) ||
      (has('block_q') && has('block_k') && blocksHeadline(points, standard)) ||
      (size && sizeHeadline(points, size, standard)) || countHeadline(points, standard);
  return [found, numericHeadline(points)].filter(Boolean).join(' ');
};

const showHeadline = (text) => {
  document.getElementById('headline').textContent = text;
};
