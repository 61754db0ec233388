// The columns of the table of points.

const tagOf = (point) => ({equal: 'good', MISMATCH: 'bad', infeasible: 'bad'})[point.status] ?? 'warn';

const comparisonText = (point) => {
  if (!point.elements) return 'not counted';
  return point.equal === null ? 'no closed form' : point.equal ? 'equal' : 'MISMATCH';
};

const statusText = (point) => {
  if (point.feasible) return comparisonText(point);
  return point.elements ? `infeasible, ${comparisonText(point)}` : 'infeasible';
};

const exactColumn = (heading, unit, value) =>
    ({heading, unit, value, text: (point) => grouped(value(point)), number: true});

/** The columns that these points need: what varies, then the figures. A `value` sorts; a `text` is shown. */
const columnsOf = (points) => {
  const varying = dimensions
                      .filter(
                          (dim) => dim.key === 'algorithm' || tilingKeys.slice(1).includes(dim.key) ||
                              budgetKeys.includes(dim.key) || valuesOf(points, dim).length > 1)
                      .filter((dim) => !dim.merged && points.some((point) => point[dim.key] !== null));
  const columns = [
    exactColumn('#', '', (point) => BigInt(point.index + 1)),
    {heading: 'status', unit: 'against closed form', value: statusText, text: statusText, status: true},
    ...varying.map((dim) => ({
                     heading: dim.label,
                     unit: dim.unit ?? '',
                     value: (point) => point[dim.key],
                     text: (point) => (dim.numeric ? grouped(point[dim.key]) : point[dim.key] ?? ''),
                     number: dim.numeric
                   })),
    exactColumn('read', 'elements', (point) => point.elements?.read ?? null),
    exactColumn('write', 'elements', (point) => point.elements?.write ?? null),
    exactColumn('total', 'elements', (point) => point.elements?.total ?? null),
    exactColumn('total', 'bytes', (point) => point.bytes?.total ?? null),
    {
      heading: 'total',
      unit: 'binary units',
      value: (point) => point.bytes?.total ?? null,
      text: (point) => (point.bytes ? binary(point.bytes.total) : ''),
      number: true
    },
    exactColumn('on chip', 'elements', (point) => point.peak_elements),
    exactColumn('on chip', 'bytes', (point) => point.peak_bytes),
    exactColumn('overflow', 'elements', (point) => point.overflow),
    {
      heading: 'predicted',
      unit: 'time',
      value: (point) => point.seconds,
      text: (point) => (point.seconds === null ? '' : duration(point.seconds)),
      number: true
    },
    {heading: 'reason', unit: '', value: (point) => point.reason || null, text: (point) => point.reason, reason: true},
  ];
  return columns.filter(({value}) => points.some((point) => value(point) !== null));
};

const ordered = (a, b) => {
  if (a === null || b === null) return (a === null) - (b === null);
  return a < b ? -1 : a > b ? 1 : 0;
};
