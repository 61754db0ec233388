// Standard attention as the yardstick: counted where the data has it, else its idealised closed form.

const itemSize = {
  fp64: 8n,
  fp32: 4n,
  fp16: 2n,
  bf16: 2n,
  fp8: 1n
};
const forwardNames = /^(standard|standard_tiled|standard_unfused|flash\d|split_kv|chunked)$/;
const isStandard = (algorithm) => algorithm === 'standard' || algorithm === 'standard_backward';

const problemDims = dimensions.filter(
    (dim) => ['mask', 'dtype', 'stat_dtype', 'batch', 'heads', 'kv_heads', 'seq_q', 'seq_k', 'head_dim', 'head_dim_v']
                 .includes(dim.key));

/** Which standard algorithm answers the same question as `algorithm`, or null (gemm, elementwise, ...). */
const standardOf = (algorithm) => {
  if (forwardNames.test(algorithm)) return 'standard';
  return algorithm.endsWith('_backward') && forwardNames.test(algorithm.slice(0, -9)) ? 'standard_backward' : null;
};

/**
   Per head, every GEMM operand read once. Forward: Q, K, V, O once and S, P written and read (4 N_q N_k).
    Backward (FlashAttention, Algorithm 3): Q, K, V, dQ, dK, dV once, dO twice, and 7 N_q N_k.
 */
const standardTerms = (point, name) => {
  const {seq_q: q, seq_k: k, head_dim: d, head_dim_v: v} = point;
  return name === 'standard' ? {rows: q * d + k * d + k * v + q * v, scores: 4n * q * k} :
                               {rows: 2n * (q * d + k * d + k * v + q * v), scores: 7n * q * k};
};

const closedForm = (point, name, metric) => {
  if ([point.batch, point.heads, point.seq_q, point.seq_k, point.head_dim, point.head_dim_v].includes(null))
    return null;
  const {rows, scores} = standardTerms(point, name);
  const streams = point.batch * point.heads;
  if (metric.key === 'elements') return streams * (rows + scores);
  const size = itemSize[point.dtype];
  const scoreSize = itemSize[point.raw.problem.score_dtype ?? point.dtype];
  return size && scoreSize ? streams * (rows * size + scores * scoreSize) : null;
};

/** Looks standard attention up for any point: returns `{value, source}` or null. */
const standardTable = (points) => {
  const counted = new Map();
  for (const point of points) {
    if (isStandard(point.algorithm) && point.elements)
      counted.set(`${point.algorithm}\u0001${keyOf(point, problemDims)}`, point);
  }
  return (point, metric) => {
    const name = standardOf(point.algorithm);
    if (name === null || metric.key === 'seconds') return null;
    const found = counted.get(`${name}\u0001${keyOf(point, problemDims)}`);
    if (found) return {value: metric.of(found), source: 'counted', name};
    const value = closedForm(point, name, metric);
    return value === null ? null : {value, source: 'closed form', name};
  };
};

const closedFormText = {
  standard: 'N_q d + N_k d + N_k d_v + N_q d_v + 4 N_q N_k elements a head',
  standard_backward: '2 (N_q d + N_k d + N_k d_v + N_q d_v) + 7 N_q N_k elements a head',
};

/**
   The smallest swept budget at which the counted points of a line (in order of `dim`) are not above standard
   attention. Returns `{first, before, fits}`: that point, the counted point below it, and the first such point that
   also fits.
 */
const breakEven = (line, metric, standard) => {
  const counted = line.filter((point) => metric.of(point) !== null && standard(point, metric));
  const reaches = (point) => metric.of(point) <= standard(point, metric).value;
  const position = counted.findIndex(reaches);
  if (position < 0) return {first: null, before: counted.at(-1) ?? null, fits: null};
  return {
    first: counted[position],
    before: counted[position - 1] ?? null,
    fits: counted.find((point) => point.feasible && reaches(point)) ?? null
  };
};

/** The break-even of a line in a sentence. */
const breakEvenText = (name, line, dim, metric, standard) => {
  const {first, before, fits} = breakEven(line, metric, standard);
  const budget = (point) => `${shown(point[dim.key], dim)}${dim.unit === 'elements' ? ' elements' : ''}`;
  if (before === null && first === null) return null;
  if (first === null) return `${name}: above standard attention at every counted M, up to ${budget(before)}.`;
  const figures = `${metric.text(metric.of(first))} against ${metric.text(standard(first, metric).value)}`;
  const where = before === null ? `at or below M = ${budget(first)}, the smallest counted` :
                                  `between M = ${budget(before)} and M = ${budget(first)}`;
  const text = `${name}: break-even ${where}; at ${budget(first)} it moves ${figures} of standard attention.`;
  if (first.feasible) return text;
  const fitting = fits ? `The smallest swept M that fits and is not above standard attention is ${budget(fits)}.` :
                         'No swept M both fits and reaches it.';
  return `${text} The tiling there does not fit${
      first.overflow ? ` (${grouped(first.overflow)} elements too large)` : ''}. ${fitting}`;
};
