// The points of the document as flat records, and which of their dimensions were swept.

const maskOf = (problem) => {
  if (problem.mask !== 'window') return problem.mask ?? null;
  const side = (value) => (value === undefined || value === null || BigInt(value) < 0n ? 'unlimited' : String(value));
  return `window ${side(problem.window_left)}:${side(problem.window_right)}`;
};

/** Sizes of the computations without sequences: products, layers, softmax, chains. */
const shapeKeys =
    ['m', 'n', 'k', 'tokens', 'd_in', 'd_out', 'group_size', 'rows', 'cols', 'length', 'ops', 'side_inputs'];

const statusOf = (point) => {
  if (point.equal === false) return 'MISMATCH';
  if (!point.feasible) return 'infeasible';
  if (point.elements === null) return 'not counted';
  return point.equal === null ? 'no closed form' : 'equal';
};

const amounts = (traffic) =>
    traffic ? {read: integer(traffic.read), write: integer(traffic.write), total: integer(traffic.total)} : null;

/** One record: the dimensions by name, exact amounts as BigInt, and `raw`, the JSON it came from. */
const readPoint = (raw, index) => {
  const {problem, tiling, sram, traffic} = raw;
  const point = {
    index,
    raw,
    algorithm: raw.algorithm,
    device: typeof raw.device === 'string' ? raw.device : raw.device?.name ?? null,
    placement: sram?.placement ?? null,
    mask: maskOf(problem),
    dtype: problem.dtype ?? null,
    stat_dtype: problem.stat_dtype ?? null,
    weight_dtype: problem.weight_dtype ?? null,
    variant: raw.options?.variant ?? null,
    rule: tiling?.rule ?? null,
    order: tiling?.order ?? null,
    sram_elements: integer(sram?.capacity_elements),
    sram_bytes: integer(sram?.capacity_bytes),
    peak_elements: integer(sram?.peak_elements),
    peak_bytes: integer(sram?.peak_bytes),
    overflow: integer(raw.overflow_elements),
    elements: amounts(traffic?.elements),
    bytes: amounts(traffic?.bytes),
    seconds: typeof raw.time?.seconds === 'number' ? raw.time.seconds : null,
    equal: raw.closed_form?.equal ?? null,
    feasible: raw.feasible !== false && sram?.fits !== false,
    reason: raw.reason ?? '',
  };
  for (const key of ['batch', 'heads', 'kv_heads', 'seq_q', 'seq_k', 'head_dim', 'head_dim_v'])
    point[key] = integer(problem[key]);
  for (const key of shapeKeys) point[key] = integer(problem[key]);
  for (const key of tilingKeys) point[key] = integer(tiling?.[key] ?? tiling?.[key.replace('block', 'chunk')]);
  point.status = statusOf(point);
  return point;
};

/**
 * The dimensions of a point. An earlier one explains a later one that it determines (M explains the paper's blocks).
 */
const dimensions = [
  {key: 'algorithm', label: 'algorithm'},
  {key: 'device', label: 'device'},
  {key: 'placement', label: 'placement'},
  {key: 'mask', label: 'mask'},
  {key: 'variant', label: 'variant'},
  {key: 'dtype', label: 'dtype'},
  {key: 'weight_dtype', label: 'weights'},
  {key: 'stat_dtype', label: 'statistics dtype'},
  {key: 'batch', label: 'batch', numeric: true},
  {key: 'heads', label: 'heads', numeric: true},
  {key: 'kv_heads', label: 'K/V heads', numeric: true},
  {key: 'seq_q', label: 'N_q', title: 'query length N_q', numeric: true},
  {key: 'seq_k', label: 'N_k', title: 'key length N_k', numeric: true},
  {key: 'head_dim', label: 'd', title: 'head dimension d', numeric: true},
  {key: 'head_dim_v', label: 'd_v', title: 'head dimension of V d_v', numeric: true},
  ...shapeKeys.map((key) => ({key, label: key, numeric: true})),
  {key: 'sram_elements', label: 'M', title: 'SRAM budget M', unit: 'elements', numeric: true},
  {key: 'sram_bytes', label: 'M', title: 'SRAM budget M', unit: 'bytes', numeric: true},
  {key: 'rule', label: 'block rule'},
  {key: 'order', label: 'order'},
  {key: 'stages', label: 'stages', numeric: true},
  {key: 'block_m', label: 'block_m', unit: 'rows', numeric: true},
  {key: 'block_n', label: 'block_n', unit: 'columns', numeric: true},
  {key: 'block_q', label: 'block_q', unit: 'rows', numeric: true},
  {key: 'block_k', label: 'block_k', unit: 'rows', numeric: true},
];

/** Pairs that most runs set together. Where they are equal in every point, the second is not worth showing. */
const twins = [
  ['seq_q', 'seq_k', {label: 'N', title: 'sequence length N'}], ['head_dim', 'head_dim_v', {}],
  ['heads', 'kv_heads', {}]
];
const mergeTwins = (points) => {
  for (const [first, second, names] of twins) {
    if (!points.every((point) => point[first] === point[second])) continue;
    Object.assign(dimensions.find(({key}) => key === first), names);
    dimensions.find(({key}) => key === second).merged = true;
  }
};

const tilingKeys = ['stages', 'block_m', 'block_n', 'block_q', 'block_k'];
const budgetKeys = ['sram_elements', 'sram_bytes'];

const keyOf = (point, dims) => dims.map((dim) => String(point[dim.key])).join('\u0001');

/** Distinct values of `dim`, numbers in order, text in order of appearance. Points without one give none. */
const valuesOf = (points, dim) => {
  const values = [...new Map(points.map((point) => [String(point[dim.key]), point[dim.key]])).values()].filter(
      (value) => value !== null);
  return dim.numeric ? values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) : values;
};

/** The dimensions with several values that no combination of earlier ones determines: those that were swept. */
const sweptDimensions = (points) => {
  const swept = [];
  let groups = points.map(() => 0);
  let count = 1;
  for (const dim of dimensions) {
    const numbers = new Map();
    const finer = points.map((point, index) => {
      const name = `${groups[index]} ${point[dim.key]}`;
      if (!numbers.has(name)) numbers.set(name, numbers.size);
      return numbers.get(name);
    });
    if (numbers.size <= count) continue;
    swept.push(dim);
    groups = finer;
    count = numbers.size;
  }
  return swept;
};

/** A value of a dimension as a reader writes it: "4,096", "100 KiB", "causal". */
const shown = (value, dim) => {
  if (value === null) return 'none';
  if (dim.key === 'sram_bytes') return value % 1024n === 0n ? binary(value) : `${grouped(value)} B`;
  return dim.numeric ? grouped(value) : String(value);
};

/** "flash1, mask causal, N_q 4,096": what sets a line apart from the others of its chart. */
const describe = (point, dims) =>
    dims.map((dim) => (dim.key === 'algorithm' ? point.algorithm : `${dim.label} ${shown(point[dim.key], dim)}`))
        .join(', ');

/** What a chart can show: exact value, number to plot, text of ticks and of tooltips. */
const metrics = [
  {
    key: 'elements',
    label: 'elements',
    title: 'traffic (elements)',
    of: (point) => point.elements?.total ?? null,
    tick: decimal,
    text: (value) => `${grouped(value)} elements`
  },
  {
    key: 'bytes',
    label: 'bytes',
    title: 'traffic (bytes)',
    binary: true,
    of: (point) => point.bytes?.total ?? null,
    tick: binary,
    text: (value) => `${grouped(value)} bytes (${binary(value)})`
  },
  {
    key: 'seconds',
    label: 'predicted time',
    title: 'predicted time (s)',
    of: (point) => point.seconds,
    tick: duration,
    text: duration
  },
];
