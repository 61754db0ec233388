// Reads the embedded document and fills the page.

/** Parses JSON with every integer of 16 digits and more as a string, so that none is rounded. */
const parseExactly = (text) => JSON.parse(text.replace(
    /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g,
    (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)));

const showPoints = (report) => {
  const points = (report.points ?? (report.rows ? [] : [report])).map(readPoint);
  mergeTwins(points);
  showSummary(document.getElementById('summary'), report, points);
  const roofline = rooflineSection(report, points);
  const sections = [...(points.length > 0 ? chartSections(points) : []), ...(roofline ? [roofline] : [])];
  const place = document.getElementById('sections');
  place.append(...sections.map(({section}) => section));
  const rows = rowsSection(report);
  if (rows) place.append(rows);
  if (points.length > 0) place.append(new PointTable(points).section(report));
  sections.forEach(({draw}) => draw());
};

const showReport = () => {
  const text = document.getElementById('data').textContent;
  const report = {...parseExactly(text), text};
  if (report.command === 'tune')
    showTune(report);
  else if (report.command === 'validate')
    showValidation(report);
  else
    showPoints(report);
  const traffic = report.command === 'validate' ?
      '' :
      'Traffic is what crosses the edge of the SM (the two-level model of the literature), not DRAM traffic after the L2. ';
  document.getElementById('sections').append(element('footer', {}, `${traffic}Charts: Chart.js, MIT License.`));
  watchScheme();
};

showReport();
