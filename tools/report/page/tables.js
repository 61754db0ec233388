// Tables of the program as sections: those of `tables` and `complexity`, and what `validate` reproduces.

/** The figures of a table; columns of numbers stand to the right. */
const documentFigures = ({columns, rows}) => ({
  columns: columns.map(
      ({name, unit}, index) => column(
          name, unit,
          rows.some((row) => typeof row[index] === 'number') &&
              !rows.some((row) => typeof row[index] === 'string' && !/^-?\d{16,}$/.test(row[index])))),
  rows: rows.map(
      (row) => row.map((value) => (typeof value === 'string' && /^-?\d{16,}$/.test(value) ? BigInt(value) : value)))
});

/** Verdicts that failed, and rows that do not fit, stand out. */
const markRowsOf = (section) => {
  for (const row of section.querySelectorAll('tbody tr')) {
    const verdict = row.lastElementChild.textContent;
    if (verdict.includes('DIFFERS')) row.className = 'differs';
    if (verdict.includes('does not fit')) row.className = 'unfit';
  }
  return section;
};

const documentSection = (table) => {
  const figures = documentFigures(table);
  const unfit = Number(table.infeasible_rows ?? 0) > 0 ?
      [`${table.infeasible_rows} of ${table.rows.length} rows do not fit`] :
      [];
  const notes =
      [`Reference: ${table.source}`, ...unfit, ...table.failures.map((text) => `FAILED: ${text}`), ...table.notes];
  const title = table.title.charAt(0).toUpperCase() + table.title.slice(1);
  return markRowsOf(tableSection(table.name, `${title} (${table.name})`, figures, {below: [noteList(notes)]}));
};

const tablesHeadline = ({tables}) => {
  const failures = tables.reduce((sum, table) => sum + table.failures.length, 0);
  const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
  const what = `${plural(tables.length, 'table')} with ${plural(rows, 'row')} recomputed`;
  return failures > 0 ? `${what}: ${plural(failures, 'check')} failed.` :
                        `${what}: every check against its reference holds.`;
};

const showTables = (report) => {
  const sections = report.tables.map(documentSection);
  sections[0]?.querySelector('.bar').append(jsonButton(report));
  document.getElementById('sections').append(...sections);
  return tablesHeadline(report);
};

/** Figure 2 of the FlashAttention paper as bars: what each attribution moves beside what the paper prints. */
const reproductionConfiguration = (table, moved, printed) => {
  const colours = theme();
  const options = baseOptions(colours);
  options.indexAxis = 'y';
  options.interaction = {mode: 'index', axis: 'y', intersect: false};
  options.plugins.legend.labels.usePointStyle = false;
  options.scales = {
    x: {...axis(colours, 'moved, forward and backward (GB)'), beginAtZero: true},
    y: axis(colours, '', {grid: {display: false}, ticks: {callback: (place) => barLabel(table.rows[place][0])}})
  };
  options.scales.y.title.display = false;
  const bars = (label, place, colour) =>
      ({label, kind: label, data: table.rows.map((row) => row[place]), backgroundColor: colour, maxBarThickness: 12});
  const datasets =
      [bars('computed', moved, colours.series[0]), bars('printed in the paper', printed, colours.series[1])];
  return {type: 'bar', data: {labels: table.rows.map(([name]) => name), datasets}, options};
};

const reproductionSections = (report) => (report.reproductions ?? []).map((table) => {
  const [moved, printed] = ['moved', 'Figure 2'].map((name) => table.columns.findIndex((one) => one.name === name));
  if (moved < 0 || printed < 0) return {section: documentSection(table), draw: () => {}};
  const frame = new ChartFrame(table.name);
  const drawn = {...table, rows: table.rows.filter((row) => row[moved] !== null)};
  frame.fixed(barHeight(drawn.rows.length));
  const notes = [`Reference: ${table.source}`, ...table.notes];
  const section = chartSection(
      table.name, 'Reproduction: Figure 2 of the FlashAttention paper',
      'What each possible reading of the paper\'s kernels moves, beside what the paper prints. The last column says which one agrees, and why the others do not.',
      [], frame, noteList(notes));
  const draw = () => frame.show(
      () => reproductionConfiguration(drawn, moved, printed), `Figure 2 of the FlashAttention paper: ${table.title}.`,
      documentFigures(table));
  return {section, draw};
});
