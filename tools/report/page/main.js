// Reads the embedded document and fills the page.

/** Parses JSON with every integer of 16 digits and more as a string, so that none is rounded. */
const parseExactly = (text) => JSON.parse(text.replace(
    /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g,
    (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)));

/** Each fills the page with a document and returns its headline. */
const showPoints = (report, points) => {
  mergeTwins(points);
  showSummary(document.getElementById('summary'), report, points);
  const roofline = rooflineSection(report, points);
  const aboutTime = timeSections(points);
  const aboutTraffic = points.length > 0 ? chartSections(points) : [];
  const isTimed = ['predict', 'simulate'].includes(report.command);
  const charts = isTimed ? [...aboutTime, ...aboutTraffic] : [...aboutTraffic, ...aboutTime];
  const sections = [...charts, ...(roofline ? [roofline] : [])];
  const place = document.getElementById('sections');
  place.append(...sections.map(({section}) => section));
  const rows = rowsSection(report);
  if (rows) place.append(rows);
  if (points.length > 0) place.append(new PointTable(points).section(report));
  drawAll(sections);
  return pointsHeadline(report, points);
};

const pages = {
  'tune': showTune,
  'validate': showValidation,
  'measure': showMeasurements,
  'calibrate': showCalibration,
  'occupancy': showOccupancies,
  'tables': showTables,
  'complexity': showComplexity,
  'simulate --trace': showTimeline,
};

const showReport = () => {
  const text = document.getElementById('data').textContent;
  const report = {...parseExactly(text), text};
  const page = pages[report.command];
  const points = page ? [] : (report.points ?? (report.rows ? [] : [report])).map(readPoint);
  showHeadline(page ? page(report) : showPoints(report, points));
  showProvenance(report, points);
  showContents();
  watchScheme();
  whenDrawn(() => performance.mark('drawn'));
};

showReport();
