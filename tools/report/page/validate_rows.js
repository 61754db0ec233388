// The rows of `validate` as records, their texts, and the tables made of them.

const metricTitles = {
  tensors: 'bytes by the kernel\'s own counters',
  edge_read: 'bytes read at the edge of the SMs',
  edge_write: 'bytes written at the edge of the SMs',
  l2_read: 'bytes that SMs read of the L2',
  l2_write: 'bytes that SMs wrote to the L2',
  dram_read: 'bytes read of device memory',
  dram_write: 'bytes written to device memory',
  time: 'time',
  ladder: 'gains of rungs',
};

/**
 * A row with numbers for its figures (long integers arrive as strings), the length of its problem, and the quartile range of
 * its measured time about the median.
 */
const readRow = (row, observations) => {
  const observation = observations[Number(row.observation)];
  const {seq_q: queries, seq_k: keys} = observation.problem;
  const figure = (value) => (value === null || value === undefined ? null : Number(value));
  const isTime = row.metric === 'time';
  const spreadOf = isTime ? figure(observation.measured_spread) : null;
  const measured = figure(row.measured);
  return {
    ...row,
    exact: row,
    measured,
    predicted: figure(row.predicted),
    error: figure(row.error),
    low: figure(row.low),
    high: figure(row.high),
    length: queries === undefined ? null : Math.max(Number(queries), Number(keys)),
    held: row.role === 'held out',
    measuredRange: spreadOf > 0 ? [measured * (1 - spreadOf / 2), measured * (1 + spreadOf / 2)] : null,
  };
};

const percentText = (share) => (share === null || share === undefined ? '' : `${(100 * share).toFixed(2)} %`);
const signedPercent = (share) => (share > 0 ? `+${percentText(share)}` : percentText(share));
const amountText = (row, value) =>
    (value === null ? '' : row.metric === 'time' ? duration(value) : binary(BigInt(Math.round(value))));

const intervalText = (row) => (row.low === null ? '' : `${duration(row.low)} to ${duration(row.high)}`);

const rowLines = (row) => [
  `${row.kernel}, ${row.problem}`,
  `measured ${amountText(row, row.measured)}, predicted ${amountText(row, row.predicted)} (${signedPercent(row.error)})`,
  ...(row.low === null ? [] : [`interval ${intervalText(row)}`]),
  row.role === 'no fit' ? 'no fit was made for it' : row.role,
];

const rowFigures = (rows) => {
  const unit = rows[0]?.metric === 'time' ? 's' : 'bytes';
  const percent = (value) => (value === null || value === undefined ? null : 100 * value);
  const amount = (row, key) => (unit === 's' || row[key] === null ? row[key] : integer(row.exact[key]));
  return {
    columns: [
      column('kernel'), column('problem'), column('row is'), column('measured', unit), column('predicted', unit),
      column('error', '%'), column('low', unit), column('high', unit), column('roofline error', '%'),
      column('error without L2', '%'), column('source')
    ],
    rows: rows.map((row) => [
      row.kernel, row.problem, row.role, amount(row, 'measured'), amount(row, 'predicted'), percent(row.error), row.low, row.high,
      percent(row.roofline?.error), percent(row.two_level?.error), row.source
    ])
  };
};

/** The metrics and splits that rows have, as choices: "time, split length". */
const rowGroups = (rows) => {
  const groups = new Map();
  for (const row of rows) {
    const key = `${row.metric}/${row.split ?? ''}`;
    if (!groups.has(key))
      groups.set(key, {text: row.split ? `${metricTitles[row.metric]}, split ${row.split}` : metricTitles[row.metric], rows: []});
    groups.get(key).rows.push(row);
  }
  return groups;
};

/** The group that opens first: the held-out times of a split where there are some. */
const firstGroup = (groups) => {
  const keys = [...groups.keys()];
  return keys.find((key) => key === 'time/length') ?? keys.find((key) => key.startsWith('time/')) ?? keys[0];
};
