// The figures behind a chart or a section: a table for readers, CSV for programs. Both are made of the same cells.

const mostShownRows = 500;

/** Longer texts are broken into lines. */
const longText = 46;

/** Tables with more rows than these open only when asked to: those under a chart, and those of a section. */
const openUnderChart = 6;
const openInSection = 40;

/** A column of figures; numbers stand to the right, and their unit in the heading. */
const column = (head, unit = '', number = unit !== '') => ({head, unit, number});

/** A cell as the table shows it; exact integers keep every digit, other numbers six. CSV has all of them. */
const shownCell = (value) => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'bigint') return grouped(value);
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return grouped(BigInt(value));
  const size = Math.abs(value);
  if (size >= 1e6) return grouped(BigInt(Math.round(value)));
  return size < 1e-4 ? `${Number(value.toPrecision(6)).toExponential()}` : String(Number(value.toPrecision(6)));
};

const columnTitle = ({head, unit}) => (unit ? `${head} (${unit})` : head);

const csvOfFigures =
    ({columns, rows}) => [columns.map(columnTitle), ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`);

/** The table of `figures`, whose first column names its rows. It scrolls in itself, also by keyboard. */
const figureTable = (id, caption, {columns, rows}) => {
  const isLong = columns.map((_, index) => rows.some((cells) => String(cells[index] ?? '').length > longText));
  const look = columns.map(({number}, index) => (number ? 'number' : isLong[index] ? 'text' : null));
  const cell = (value, index) =>
      element(index === 0 ? 'th' : 'td', {scope: index === 0 ? 'row' : null, class: look[index]}, shownCell(value));
  const head = ({head: text, unit, number}) => element(
      'th', {scope: 'col', class: number ? 'number' : null}, text,
      unit ? element('span', {class: 'unit'}, unit) : null);
  return element(
      'div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
      element(
          'table', {id}, element('caption', {class: 'hidden'}, caption),
          element('thead', {}, element('tr', {}, ...columns.map(head))),
          element('tbody', {}, ...rows.slice(0, mostShownRows).map((cells) => element('tr', {}, ...cells.map(cell))))));
};

const csvButton = (id, figures, what) => element(
    'button', {
      type: 'button',
      id: `${id}-csv`,
      'aria-label': `Download CSV of ${what}`,
      onclick: () => download(`tilemeter-${id}.csv`, 'text/csv', csvOfFigures(figures()))
    },
    'CSV');

const jsonButton = (report) => element(
    'button',
    {type: 'button', id: 'json', onclick: () => download('tilemeter.json', 'application/json', [report.text])},
    'Download JSON');

const leftOutText = (rows) =>
    (rows.length > mostShownRows ?
         `The first ${grouped(BigInt(mostShownRows))} of ${grouped(BigInt(rows.length))} rows; the CSV has all.` :
         '');

/** Figures that open under a chart. The table is made when it is opened: its rows may be thousands. */
class FoldedFigures {
  constructor(id) {
    this.id = id;
    this.name = element('summary', {}, '');
    this.details = element('details', {id: `${id}-data`, class: 'data'}, this.name);
    this.details.addEventListener('toggle', () => this.fill());
  }

  show(caption, figures, name = 'Figures of this chart', mostOpen = openUnderChart) {
    this.caption = caption;
    this.figures = figures;
    this.name.textContent = `${name} (${plural(figures.rows.length, 'row')})`;
    this.details.replaceChildren(this.name);
    if (figures.rows.length <= mostOpen) this.details.open = true;
    this.fill();
  }

  fill() {
    if (!this.details.open || this.details.children.length > 1) return;
    const left = leftOutText(this.figures.rows);
    this.details.append(
        ...(left ? [element('p', {class: 'muted'}, left)] : []),
        figureTable(`${this.id}-table`, this.caption, this.figures));
  }
}

/** A table, folded when it is long. */
const sectionTable = (id, heading, figures) => {
  if (figures.rows.length <= openInSection) return figureTable(`${id}-table`, heading, figures);
  const folded = new FoldedFigures(id);
  folded.show(heading, figures, 'Table');
  return folded.details;
};

/** A section that is a table: heading, buttons, figures, and what stands below. */
const tableSection = (id, heading, figures, {intro = null, buttons = [], below = []} = {}) => element(
    'section', {id, class: 'table', 'aria-labelledby': `${id}-heading`}, element('h2', {id: `${id}-heading`}, heading),
    intro ? element('p', {class: 'muted'}, intro) : null,
    element(
        'div', {class: 'bar'}, element('span', {class: 'space'}), csvButton(id, () => figures, heading), ...buttons),
    sectionTable(id, heading, figures), ...below);

const noteList = (notes) => element('ul', {class: 'notes'}, ...notes.map((note) => element('li', {}, note)));

/** Objects of named scalars as figures: a column for each name that any of them has. */
const figuresOfObjects = (objects) => {
  const keys = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const isNumber = (value) => typeof value === 'number' || (typeof value === 'string' && /^-?\d{16,}$/.test(value));
  const numeric = (key) => objects.every((one) => one[key] === null || one[key] === undefined || isNumber(one[key])) &&
      objects.some((one) => isNumber(one[key]));
  const cell = (value) => {
    if (value === null || value === undefined) return null;
    return typeof value === 'string' && isNumber(value) ? BigInt(value) :
        typeof value === 'boolean'                      ? String(value) :
                                                          value;
  };
  return {
    columns: keys.map((key) => column(key.replaceAll('_', ' '), '', numeric(key))),
    rows: objects.map((one) => keys.map((key) => cell(one[key])))
  };
};
