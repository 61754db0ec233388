// The table of all points: sorted, filtered, opened row by row, and saved as CSV.

const rowsAtOnce = 100;

class PointTable {
  constructor(points) {
    this.points = points;
    this.columns = columnsOf(points);
    this.words =
        points.map((point) => this.columns.map(({text}) => text(point)).join(' ').toLowerCase().replaceAll(',', ''));
    this.order = {column: this.columns[0], direction: 1};
    this.query = '';
    this.status = '';
    this.body = element('tbody');
    this.count = element('span', {class: 'muted', role: 'status', id: 'shown'});
    this.more = element('button', {type: 'button', id: 'more', onclick: () => this.extend()}, 'Show more');
  }

  select() {
    const words = this.query.toLowerCase().replaceAll(',', '').split(/\s+/).filter(Boolean);
    const {column, direction} = this.order;
    this.selected = this.points.filter(
        (point) => (this.status === '' || point.status === this.status) &&
            words.every((word) => this.words[point.index].includes(word)));
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
    this.count.textContent = `${grouped(BigInt(this.shown))} of ${plural(this.selected.length, 'point')} shown${
        this.selected.length < this.points.length ? ` (${grouped(BigInt(this.points.length))} in all)` : ''}`;
  }

  row(point) {
    const cells = this.columns.map((column) => {
      if (column.status)
        return element('td', {class: 'status'}, element('span', {class: `tag ${tagOf(point)}`}, column.text(point)));
      return element(
          'td', {
            title: column.reason ? column.text(point) : null,
            class: column.number ? 'number' :
                column.reason    ? 'reason' :
                                   'text'
          },
          column.text(point));
    });
    const row = element('tr', {'data-point': point.index});
    const toggle = element(
        'button', {
          type: 'button',
          class: 'expand',
          'aria-expanded': 'false',
          'aria-label': `Details of point ${point.index + 1}`,
          onclick: () => this.toggle(point, row, toggle)
        },
        '\u25b8');
    row.append(element('td', {}, toggle), ...cells);
    return row;
  }

  toggle(point, row, button) {
    const open = button.getAttribute('aria-expanded') === 'true';
    if (open)
      row.nextSibling.remove();
    else
      row.after(detailRow(point, this.columns.length + 1));
    button.setAttribute('aria-expanded', String(!open));
    button.textContent = open ? '\u25b8' : '\u25be';
  }

  head() {
    const cells = this.columns.map((column) => {
      const cell = element('th', {scope: 'col', class: column.number ? 'number' : null});
      cell.append(
          element('button', {type: 'button', onclick: () => this.sort(column, cell)}, column.heading),
          element('span', {class: 'unit'}, column.unit));
      return cell;
    });
    this.cells = cells;
    return element(
        'thead', {},
        element('tr', {}, element('th', {scope: 'col'}, element('span', {class: 'hidden'}, 'Details')), ...cells));
  }

  sort(column, cell) {
    const direction = this.order.column === column ? -this.order.direction : 1;
    this.order = {column, direction};
    for (const other of this.cells) other.removeAttribute('aria-sort');
    cell.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
    this.select();
  }

  section(report) {
    const statuses = [...new Set(this.points.map((point) => point.status))];
    const filter = element('input', {
      type: 'search',
      id: 'filter',
      placeholder: 'words or numbers',
      oninput: (event) => {
        this.query = event.target.value;
        this.select();
      }
    });
    const section = element(
        'section', {id: 'points', class: 'table', 'aria-labelledby': 'points-heading'},
        element('h2', {id: 'points-heading'}, 'All points'),
        element(
            'div', {class: 'bar'}, element('label', {}, 'filter', filter),
            statuses.length > 1 ? chooser(
                                      'status', [['', 'all'], ...statuses.map((status) => [status, status])], '',
                                      (value) => {
                                        this.status = value;
                                        this.select();
                                      }) :
                                  null,
            this.count, element('span', {class: 'space'}),
            element(
                'button',
                {type: 'button', id: 'csv', onclick: () => download('tilemeter.csv', 'text/csv', csvOf(this.points))},
                'Download CSV'),
            jsonButton(report)),
        element(
            'div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-labelledby': 'points-heading'},
            element(
                'table', {id: 'table'}, element('caption', {class: 'hidden'}, 'All points'), this.head(), this.body)),
        element('div', {class: 'bar'}, this.more));
    this.select();
    return section;
  }
}
