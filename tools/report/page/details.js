// What opens under a row of the table: traffic by tensor and the tiles on chip.

const smallTable = (caption, headings, rows) => element(
    'table', {}, element('caption', {}, caption),
    element(
        'thead', {},
        element(
            'tr', {},
            ...headings.map((text, i) => element('th', {scope: 'col', class: i > 0 ? 'number' : null}, text)))),
    element(
        'tbody', {},
        ...rows.map(
            (cells) =>
                element('tr', {}, ...cells.map((text, i) => element('td', {class: i > 0 ? 'number' : null}, text))))));

const tensorTable = (tensors) => smallTable(
    'Traffic by tensor', ['tensor', 'read (elements)', 'write (elements)', 'read (bytes)', 'write (bytes)'],
    Object.entries(tensors).map(
        ([name, t]) =>
            [name,
             ...['read_elements', 'write_elements', 'read_bytes', 'write_bytes'].map(
                 (key) => grouped(integer(t?.[key])))]));

const tileTable = (tiles) => smallTable(
    'Tiles on chip', ['tile', 'rows', 'columns', 'elements', 'bytes'],
    tiles.map(
        (tile) =>
            [`${tile.name}${tile.space ? ` (${tile.space})` : ''}`,
             ...['rows', 'cols', 'elements', 'bytes'].map((key) => grouped(integer(tile[key])))]));

const closedFormLine = ({expression, elements}) => element(
    'p', {}, `Closed form: ${expression ?? ''}${elements ? ` = ${grouped(integer(elements.total))} elements` : ''}`);

const detailRow = (point, span) => {
  const {traffic, sram, closed_form: closed} = point.raw;
  const parts = element(
      'div', {class: 'parts'}, traffic?.tensors ? tensorTable(traffic.tensors) : null,
      Array.isArray(sram?.tiles) && sram.tiles.length > 0 ? tileTable(sram.tiles) : null);
  return element(
      'tr', {class: 'detail'},
      element(
          'td', {colspan: span}, closed && closed.expression !== undefined ? closedFormLine(closed) : null,
          point.reason ? element('p', {}, point.reason) : null, parts));
};
