// Where the figures come from: what the document itself says of its making, at the foot of the page.

const gpuText = ({
  name,
  driver,
  toolkit
}) => [name, driver ? `driver ${driver}` : null, toolkit ? `CUDA ${toolkit}` : null].filter(Boolean).join(', ');

/** A word of a command line as a shell would need it. */
const shellWord = (word) => (/^[\w.,:=\/+*-]+$/.test(word) ? word : `'${word.replaceAll('\'', '\'\\\'\'')}'`);

const commandText = (report) => {
  if (report.command_line) return report.command_line;
  return ['tilemeter', report.command, ...(report.arguments ?? []).map(shellWord)].join(' ');
};

const devicesOf = (report, points) => {
  const named = [
    report.device, ...points.map(({device}) => device), ...(report.points ?? []).map(({device}) => device),
    ...(report.devices ?? []).map(({name}) => name)
  ];
  return [...new Set(named.map((device) => device?.name ?? device).filter((name) => typeof name === 'string'))];
};

/** Names and values, of those that the document has. */
const provenanceOf = (report, points) => {
  const devices = devicesOf(report, points);
  return [
    ['command', commandText(report)],
    ['version', report.commit ? `${report.version}, commit ${report.commit}` : report.version],
    [devices.length > 1 ? 'devices' : 'device', devices.join(', ')],
    ['measured on', report.gpu ? gpuText(report.gpu) : ''],
    ['date', report.date ?? ''],
    ['page made', document.querySelector('meta[name=date]').content],
    ['seed', report.seed === undefined ? '' : String(report.seed)],
  ].filter(([, value]) => value);
};

const levelsNote =
    'Traffic is what crosses the edge of the SM (the two-level model of the literature), not DRAM traffic after the L2.';
const withoutTraffic = ['validate', 'calibrate', 'occupancy', 'simulate --trace'];

const showProvenance = (report, points) => {
  const place = document.getElementById('provenance');
  place.append(
      element('h2', {}, 'Provenance'),
      element('dl', {class: 'facts'}, ...provenanceOf(report, points).map(([name, value]) => fact(name, value))),
      element(
          'p', {}, withoutTraffic.includes(report.command) ? '' : `${levelsNote} `, 'Charts: Chart.js, MIT License.'));
};

const mostOpenLinks = 14;

/** Links to the sections, where there are several. */
const showContents = () => {
  const sections = [...document.querySelectorAll('main > section')];
  const place = document.getElementById('contents');
  if (sections.length < 3) return;
  const links = element(
      'ul', {},
      ...sections.map(
          ({id, firstElementChild: heading}) =>
              element('li', {}, element('a', {href: `#${id}`}, heading.textContent))));
  place.hidden = false;
  place.append(
      sections.length > mostOpenLinks ?
          element('details', {}, element('summary', {}, `On this page: ${sections.length} sections`), links) :
          links);
};
