// The table of all points: sorted, filtered, opened row by row, and saved as CSV.

const rowsAtOnce = 100;

const tagOf = (point) => ({ equal: 'good', MISMATCH: 'bad', infeasible: 'bad' })[point.status] ?? 'warn';

const comparisonText = (point) => {
  if (!point.elements) return '';
  return point.equal === null ? 'no closed form to compare with' : point.equal ? 'equal to closed form' : 'MISMATCH with closed form';
};

const statusText = (point) => {
  const comparison = comparisonText(point);
  if (point.feasible) return comparison || 'not counted';
  const size = point.overflow === null ? '' : `, ${grouped(point.overflow)} elements too large`;
  return `infeasible${size}${comparison && `; counted, ${comparison}`}${point.reason && `: ${point.reason}`}`;
};

const exactColumn = (heading, unit, value) => ({ heading, unit, value, text: (point) => grouped(value(point)), number: true });

/** The columns that these points need: what varies, then the figures. A `value` sorts; a `text` is shown. */
const columnsOf = (points) => {
  const varying = dimensions.filter((dim) => dim.key === 'algorithm' || tilingKeys.slice(1).includes(dim.key) || budgetKeys.includes(dim.key) || new Set(points.map((point) => String(point[dim.key]))).size > 1)
    .filter((dim) => points.some((point) => point[dim.key] !== null));
  const columns = [
    exactColumn('#', '', (point) => BigInt(point.index + 1)),
    ...varying.map((dim) => ({ heading: dim.label, unit: dim.unit ?? '', value: (point) => point[dim.key], text: (point) => (dim.numeric ? grouped(point[dim.key]) : point[dim.key] ?? ''), number: dim.numeric })),
    exactColumn('read', 'elements', (point) => point.elements?.read ?? null),
    exactColumn('write', 'elements', (point) => point.elements?.write ?? null),
    exactColumn('total', 'elements', (point) => point.elements?.total ?? null),
    exactColumn('total', 'bytes', (point) => point.bytes?.total ?? null),
    { heading: 'total', unit: 'binary units', value: (point) => point.bytes?.total ?? null, text: (point) => (point.bytes ? binary(point.bytes.total) : ''), number: true },
    exactColumn('on chip', 'elements', (point) => point.peak_elements),
    exactColumn('on chip', 'bytes', (point) => point.peak_bytes),
    { heading: 'predicted', unit: 'time', value: (point) => point.seconds, text: (point) => (point.seconds === null ? '' : duration(point.seconds)), number: true },
  ].filter(({ value }) => points.some((point) => value(point) !== null));
  return [...columns, { heading: 'status', unit: 'against closed form', value: statusText, text: statusText, status: true }];
};

const ordered = (a, b) => {
  if (a === null || b === null) return (a === null) - (b === null);
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Scalars of a JSON value under their paths joined by `_`, as CSV columns are named. Lists are left out. */
const flattened = (value, path = '', found = {}) => {
  for (const [key, inner] of Object.entries(value)) {
    const name = path ? `${path}_${key}` : key;
    if (inner !== null && typeof inner === 'object') {
      if (!Array.isArray(inner)) flattened(inner, name, found);
    } else found[name] = inner;
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
  return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map((cells) => `${cells.map(csvCell).join(',')}\r\n`);
};

const smallTable = (caption, headings, rows) => element('table', {}, element('caption', {}, caption),
  element('thead', {}, element('tr', {}, ...headings.map((text, i) => element('th', { scope: 'col', class: i > 0 ? 'number' : null }, text)))),
  element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((text, i) => element('td', { class: i > 0 ? 'number' : null }, text))))));

const tensorTable = (tensors) => smallTable('Traffic by tensor', ['tensor', 'read (elements)', 'write (elements)', 'read (bytes)', 'write (bytes)'],
  Object.entries(tensors).map(([name, t]) => [name, ...['read_elements', 'write_elements', 'read_bytes', 'write_bytes'].map((key) => grouped(integer(t[key])))]));

const tileTable = (tiles) => smallTable('Tiles on chip', ['tile', 'rows', 'columns', 'elements', 'bytes'],
  tiles.map((tile) => [`${tile.name}${tile.space ? ` (${tile.space})` : ''}`, ...['rows', 'cols', 'elements', 'bytes'].map((key) => grouped(integer(tile[key])))]));

const closedFormLine = ({ expression, elements }) => element('p', {}, `Closed form: ${expression ?? ''}${elements ? ` = ${grouped(integer(elements.total))} elements` : ''}`);

const detailRow = (point, span) => {
  const { traffic, sram, closed_form: closed } = point.raw;
  const parts = element('div', { class: 'parts' }, traffic?.tensors ? tensorTable(traffic.tensors) : null, Array.isArray(sram?.tiles) && sram.tiles.length > 0 ? tileTable(sram.tiles) : null);
  return element('tr', { class: 'detail' }, element('td', { colspan: span }, closed && closed.expression !== undefined ? closedFormLine(closed) : null, point.reason ? element('p', {}, point.reason) : null, parts));
};

class PointTable {
  constructor(points) {
    this.points = points;
    this.columns = columnsOf(points);
    this.words = points.map((point) => this.columns.map(({ text }) => text(point)).join(' ').toLowerCase().replaceAll(',', ''));
    this.order = { column: this.columns[0], direction: 1 };
    this.query = '';
    this.status = '';
    this.body = element('tbody');
    this.count = element('span', { class: 'muted', role: 'status', id: 'shown' });
    this.more = element('button', { type: 'button', id: 'more', onclick: () => this.extend() }, 'Show more');
  }

  select() {
    const words = this.query.toLowerCase().replaceAll(',', '').split(/\s+/).filter(Boolean);
    const { column, direction } = this.order;
    this.selected = this.points.filter((point) => (this.status === '' || point.status === this.status) && words.every((word) => this.words[point.index].includes(word)));
    this.selected.sort((a, b) => {
      const [left, right] = [column.value(a), column.value(b)];
      return (left === null || right === null ? 1 : direction) * ordered(left, right) || a.index - b.index;
    });
    this.body.replaceChildren();
    this.shown = 0;
    this.extend();
  }

  extend(rows = rowsAtOnce) {
    const next = this.selected.slice(this.shown, this.shown + rows);
    this.body.append(...next.map((point) => this.row(point)));
    this.shown += next.length;
    this.more.hidden = this.shown >= this.selected.length;
    this.count.textContent = `${grouped(BigInt(this.shown))} of ${plural(this.selected.length, 'point')} shown${this.selected.length < this.points.length ? ` (${grouped(BigInt(this.points.length))} in all)` : ''}`;
  }

  row(point) {
    const cells = this.columns.map((column) => {
      if (column.status) return element('td', { class: 'status' }, element('span', { class: `tag ${tagOf(point)}` }, column.text(point)));
      return element('td', { class: column.number ? 'number' : null }, column.text(point));
    });
    const row = element('tr', { 'data-point': point.index });
    const toggle = element('button', { type: 'button', class: 'expand', 'aria-expanded': 'false', 'aria-label': `Details of point ${point.index + 1}`, onclick: () => this.toggle(point, row, toggle) }, '\u25b8');
    row.append(element('td', {}, toggle), ...cells);
    return row;
  }

  toggle(point, row, button) {
    const open = button.getAttribute('aria-expanded') === 'true';
    if (open) row.nextSibling.remove();
    else row.after(detailRow(point, this.columns.length + 1));
    button.setAttribute('aria-expanded', String(!open));
    button.textContent = open ? '\u25b8' : '\u25be';
  }

  head() {
    const cells = this.columns.map((column) => {
      const cell = element('th', { scope: 'col', class: column.number ? 'number' : null });
      cell.append(element('button', { type: 'button', onclick: () => this.sort(column, cell) }, column.heading), element('span', { class: 'unit' }, column.unit));
      return cell;
    });
    this.cells = cells;
    return element('thead', {}, element('tr', {}, element('th', {}, element('span', { class: 'hidden' }, 'Details')), ...cells));
  }

  sort(column, cell) {
    const direction = this.order.column === column ? -this.order.direction : 1;
    this.order = { column, direction };
    for (const other of this.cells) other.removeAttribute('aria-sort');
    cell.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
    this.select();
  }

  section(report) {
    const statuses = [...new Set(this.points.map((point) => point.status))];
    const filter = element('input', { type: 'search', id: 'filter', placeholder: 'words or numbers', oninput: (event) => { this.query = event.target.value; this.select(); } });
    const section = element('section', { id: 'points', class: 'table', 'aria-labelledby': 'points-heading' },
      element('h2', { id: 'points-heading' }, 'All points'),
      element('div', { class: 'bar' }, element('label', {}, 'filter', filter),
        statuses.length > 1 ? chooser('status', [['', 'all'], ...statuses.map((status) => [status, status])], '', (value) => { this.status = value; this.select(); }) : null,
        this.count, element('span', { class: 'space' }),
        element('button', { type: 'button', id: 'csv', onclick: () => download('tilemeter.csv', 'text/csv', csvOf(this.points)) }, 'Download CSV'),
        element('button', { type: 'button', id: 'json', onclick: () => download('tilemeter.json', 'application/json', [report.text]) }, 'Download JSON')),
      element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-labelledby': 'points-heading' }, element('table', { id: 'table' }, this.head(), this.body)),
      element('div', { class: 'bar' }, this.more));
    this.select();
    return section;
  }
}
