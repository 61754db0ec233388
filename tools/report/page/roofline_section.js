// The section of the roofline: choice of device and type, the chart, its figures as a table, and rows of other views.

const mostMarks = 200;

const simpleTable = (id, heads, rows) => element(
    'div', {class: 'scroll', tabindex: '0'},
    element(
        'table', {id},
        element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', {scope: 'col'}, text)))),
        element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((text) => element('td', {}, text)))))));

const roofNotes = (device, math, roofline) => {
  const levels = roofline.levels.map(
      ({level, bandwidth, ridge}) =>
          `${levelName(level)}: ${bandwidthText(bandwidth)}, ridge at ${intensityText(ridge)} for ${math}`);
  const missing = roofline.levels.some(({level}) => level === 'l2') ?
      [] :
      ['The bandwidth of the L2 is unknown; bytes at the SM edge stand under device memory, as if no access hit the L2.'];
  return [
    `${device.name}: peak ${flopRateText(roofline.peak)} (${roofline.unit}, dense ${math})`, ...levels, ...missing,
    'Compulsory bytes (inputs and outputs once) are the least that device memory can move; DRAM traffic lies between them and the bytes at the SM edge.',
  ];
};

const markRows = (marks, roofline) => marks.slice(0, mostMarks).map((mark) => {
  const reached = attainableOf(mark, roofline);
  return [
    mark.name, grouped(mark.flops), mark.hbm === null ? '' : grouped(mark.hbm),
    mark.hbmIntensity === null ? '' : intensityText(mark.hbmIntensity), mark.edge === null ? '' : grouped(mark.edge),
    mark.edgeIntensity === null ? '' : intensityText(mark.edgeIntensity),
    reached === null ? '' : `${Number((100 * reached / roofline.peak).toPrecision(3))} %`
  ];
});

const markHeads = [
  'operation', 'FLOPs', 'compulsory bytes', 'intensity, compulsory', 'bytes at the SM edge', 'intensity, SM edge',
  'attainable of peak'
];

const drawnText = (marks, shownMarks) => {
  const left = marks.length - shownMarks;
  return left > 0 ? `The first ${shownMarks} of ${marks.length} operations are listed.` : '';
};

/** The types that a device's marks use, or all it has a peak for when nothing ran on it. */
const typesOf = (device, marks) => {
  const used = [...new Set(marks.filter((mark) => mark.device === device.name).map(({math}) => math))];
  return used.length > 0 ? used : Object.keys(device.peaks);
};

const fillRoofline = (device, math, marks, frame, notes, table) => {
  const roofline = rooflineOf(device, math);
  const own = marks.filter((mark) => mark.device === device.name && mark.math === math);
  const withFlops = own.filter((mark) => mark.flops);
  frame.box.hidden = roofline === null;
  if (roofline === null) {
    notes.replaceChildren(element('li', {}, `${device.name}: its peak for ${math} is unknown, so it has no roofline.`));
    table.replaceChildren();
    return;
  }
  const texts = roofNotes(device, math, roofline);
  if (withFlops.length < own.length) {
    texts.push(`${plural(own.length - withFlops.length, 'operation')} without FLOPs: no intensity, not on the chart.`);
  }
  if (withFlops.length > mostMarks) texts.push(drawnText(withFlops, mostMarks));
  notes.replaceChildren(...texts.map((text) => element('li', {}, text)));
  table.replaceChildren(
      ...(withFlops.length > 0 ? [simpleTable('roofline-table', markHeads, markRows(withFlops, roofline))] : []));
  frame.show(
      () => rooflineConfiguration(roofline, withFlops),
      `Roofline of ${device.name} for ${math}, ${plural(withFlops.length, 'operation')}. ${
          texts.join('. ')} The figures are in the table below the chart.`);
};

/** The section, or null when no device of the document has known roofs. */
const rooflineSection = (report, points) => {
  const roofs = roofsOf(report);
  if (roofs.size === 0) return null;
  const marks = marksOf(report, points, roofs);
  const used = new Set(marks.map(({device}) => device));
  const devices = [...roofs.values()].filter(({name}) => used.size === 0 || used.has(name));
  if (devices.length === 0) return null;
  const frame = new ChartFrame('roofline-chart', 'tilemeter-roofline');
  const notes = element('ul', {class: 'notes'});
  const table = element('div', {class: 'figures'});
  const bar = element('span', {class: 'choices'});
  const state = {device: devices[0], math: typesOf(devices[0], marks)[0]};
  const changed = () => {
    bar.replaceChildren(...choosers());
    fillRoofline(state.device, state.math, marks, frame, notes, table);
  };
  const choosers = () => {
    const types = typesOf(state.device, marks);
    const device = chooser('device', devices.map(({name}) => [name, name]), state.device.name, (name) => {
      state.device = roofs.get(name);
      if (!typesOf(state.device, marks).includes(state.math)) [state.math] = typesOf(state.device, marks);
      changed();
    });
    const math = chooser('type', types.map((type) => [type, type]), state.math, (type) => {
      state.math = type;
      changed();
    });
    return [devices.length > 1 ? device : null, types.length > 1 ? math : null].filter(Boolean);
  };
  redraws.push(() => frame.chart && frame.draw());
  const section = chartSection(
      'roofline', 'Roofline', 'Each operation at its intensity, on the roof that bounds it; drag to zoom.', [bar], frame,
      notes, table);
  return {section, draw: changed};
};

const cellText = (value) => (value === null || value === undefined ? '' : String(value));

/** The rows of a view of `tilemeter roofline`, or null. */
const rowsSection = (report) => {
  if (!Array.isArray(report.rows) || report.rows.length === 0) return null;
  const keys = Object.keys(report.rows[0]);
  const save = element(
      'button',
      {type: 'button', id: 'json', onclick: () => download('tilemeter.json', 'application/json', [report.text])},
      'Download JSON');
  return element(
      'section', {id: 'rows', class: 'table', 'aria-labelledby': 'rows-heading'},
      element('h2', {id: 'rows-heading'}, report.title ?? 'Figures'),
      element('div', {class: 'bar'}, element('span', {class: 'space'}), save),
      simpleTable(
          'rows-table', keys.map((key) => key.replaceAll('_', ' ')),
          report.rows.map((row) => keys.map((key) => cellText(row[key])))),
      element('ul', {class: 'notes'}, ...(report.notes ?? []).map((note) => element('li', {}, note))));
};
