// The points as CSV.

/** Scalars of a JSON value under their paths joined by `_`, as CSV columns are named. Lists are left out. */
const flattened = (value, path = '', found = {}) => {
  for (const [key, inner] of Object.entries(value)) {
    const name = path ? `${path}_${key}` : key;
    if (inner !== null && typeof inner === 'object') {
      if (!Array.isArray(inner)) flattened(inner, name, found);
    } else
      found[name] = inner;
  }
  return found;
};

const csvCell = (value) => {
  const text = value === undefined || value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The points as CSV (RFC 4180), every scalar of their JSON. */
const csvOf = (points) => {
  const rows = points.map((point) => flattened(point.raw));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map(
      (cells) => `${cells.map(csvCell).join(',')}\r\n`);
};
