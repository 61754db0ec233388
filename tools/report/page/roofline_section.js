// The section of the roofline: choice of device and type, the chart, its figures as a table, and rows of other views.

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

const markColumns = [
  column('operation'), column('work', 'FLOP'), column('compulsory', 'bytes'), column('intensity, compulsory', 'FLOP/B'),
  column('SM edge', 'bytes'), column('intensity, SM edge', 'FLOP/B'), column('attainable of peak', '%'),
  column('measured', 'FLOP/s')
];

const markFigures = (marks, roofline) => {
  const rows = marks.map((mark) => {
    const reached = attainableOf(mark, roofline);
    return [
      mark.name, mark.flops, mark.hbm, mark.hbmIntensity, mark.edge, mark.edgeIntensity,
      reached === null ? null : 100 * reached / roofline.peak, mark.measured
    ];
  });
  const isMeasured = marks.some(({measured}) => measured !== null);
  return isMeasured ? {columns: markColumns, rows} :
                      {columns: markColumns.slice(0, -1), rows: rows.map((cells) => cells.slice(0, -1))};
};

/** The roofs themselves, where no operation stands under them. */
const roofFigures = (device, math, roofline) => ({
  columns: [column('level'), column('bandwidth', 'B/s'), column('peak', 'FLOP/s'), column('ridge', 'FLOP/B')],
  rows: roofline.levels.map(({level, bandwidth, ridge}) => [levelName(level), bandwidth, roofline.peak, ridge])
});

/** The types that a device's marks use, or all it has a peak for when nothing ran on it. */
const typesOf = (device, marks) => {
  const used = [...new Set(marks.filter((mark) => mark.device === device.name).map(({math}) => math))];
  if (used.length > 0) return used;
  const types = Object.keys(device.peaks);
  const usual = types.includes('bf16') ? 'bf16' : types[0];  // opens the chart
  return [usual, ...types.filter((type) => type !== usual)];
};

const fillRoofline = (device, math, marks, frame, notes) => {
  const roofline = rooflineOf(device, math);
  const own = marks.filter((mark) => mark.device === device.name && mark.math === math);
  const withFlops = own.filter((mark) => mark.flops);
  for (const part of [frame.box, frame.figures.details, ...frame.buttons]) part.hidden = roofline === null;
  if (roofline === null) {
    notes.replaceChildren(element('li', {}, `${device.name}: its peak for ${math} is unknown, so it has no roofline.`));
    return;
  }
  const texts = roofNotes(device, math, roofline);
  if (withFlops.length < own.length) {
    texts.push(`${plural(own.length - withFlops.length, 'operation')} without FLOPs: no intensity, not on the chart.`);
  }
  notes.replaceChildren(...texts.map((text) => element('li', {}, text)));
  frame.show(
      () => rooflineConfiguration(roofline, withFlops),
      `Roofline of ${device.name} for ${math}, ${plural(withFlops.length, 'operation')}. ${texts.join('. ')}.`,
      withFlops.length > 0 ? markFigures(withFlops, roofline) : roofFigures(device, math, roofline));
};

/** The section, or null when no device of the document has known roofs. */
const rooflineSection = (report, points) => {
  const roofs = roofsOf(report);
  if (roofs.size === 0) return null;
  const marks = marksOf(report, points, roofs);
  const used = new Set(marks.map(({device}) => device));
  const devices = [...roofs.values()].filter(({name}) => used.size === 0 || used.has(name));
  if (devices.length === 0) return null;
  const frame = new ChartFrame('roofline');
  const notes = element('ul', {class: 'notes'});
  const bar = element('span', {class: 'choices'});
  const state = {device: devices[0], math: typesOf(devices[0], marks)[0]};
  const changed = () => {
    bar.replaceChildren(...choosers());
    fillRoofline(state.device, state.math, marks, frame, notes);
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
  const section = chartSection(
      'roofline', 'Roofline', 'Each operation at its intensity, on the roof that bounds it; drag to zoom.', [bar], frame,
      notes);
  return {section, draw: changed};
};

/** The rows of a view of `tilemeter roofline`, or null. */
const rowsSection = (report) => {
  if (!Array.isArray(report.rows) || report.rows.length === 0) return null;
  const below = [noteList(report.notes ?? [])];
  const figures = figuresOfObjects(report.rows);
  return tableSection('rows', report.title ?? 'Figures', figures, {buttons: [jsonButton(report)], below});
};
