// The page of `validate`: verdicts in words, then charts, each with its data as a table.

const verdictKind = {kept: 'good', missed: 'bad', 'no limit': 'warn'};

const verdictText = ({metric, split, who, limit, status, words}) =>
    `${metricTitles[metric]}${split ? `, split ${split}` : ''}, ${who}: ${status}; limit: ${limit}; ${words}`;

const verdictItem = (verdict) => element(
    'li', {}, element('span', {class: `tag ${verdictKind[verdict.status]}`}, verdict.status), ' ', verdictText(verdict),
    verdict.worst.length === 0 ?
        null :
        element(
            'details', {}, element('summary', {}, 'the largest errors'),
            element(
                'ul', {class: 'notes'},
                ...verdict.worst.map(
                    ({kernel, problem, error, detail}) => element(
                        'li', {}, `${kernel}, ${problem}: ${signedPercent(error)}${detail ? ` (${detail})` : ''}`)))));

const headOfValidation = (report) => {
  const judged = report.verdicts.filter(({status}) => status !== 'no limit');
  const kept = judged.filter(({status}) => status === 'kept').length;
  return [
    element(
        'dl', {class: 'facts', id: 'run'}, fact('command', `tilemeter ${report.command}`), fact('version', report.version),
        fact('device', report.device), fact('observations', grouped(BigInt(report.observations.length))),
        fact('splits', report.splits.map(({name}) => name).join(', ') || 'none')),
    element(
        'p', {class: `verdict ${kept === judged.length ? 'good' : 'bad'}`, id: 'verdict', role: 'status'},
        `${kept} of ${plural(judged.length, 'limit')} kept`)
  ];
};

const verdictSection = (report) => element(
    'section', {id: 'verdicts', 'aria-labelledby': 'verdicts-heading'},
    element('h2', {id: 'verdicts-heading'}, 'Verdicts'),
    element('p', {class: 'muted'}, 'Each metric has its own limit; a good time excuses no wrong traffic.'),
    element('ul', {class: 'notes'}, ...report.verdicts.map(verdictItem)));

/** A chart of the rows of one metric and split, which a drop-down chooses. */
const groupSection = (id, heading, intro, groups, configuration, suits) => {
  const usable = new Map([...groups].filter(([, {rows}]) => rows.some(suits)));
  if (usable.size === 0) return null;
  const frame = new ChartFrame(`${id}-chart`, `tilemeter-${id}`);
  const data = element('div', {class: 'figures'});
  const draw = (key) => {
    const {text, rows} = usable.get(key);
    frame.show(() => configuration(rows), `${heading}: ${text}. The figures are in the table below the chart.`);
    data.replaceChildren(foldedTable(id, plural(rows.length, 'row'), rowHeads, () => rows.map(rowCells)));
  };
  const first = firstGroup(usable);
  const choice = chooser('show', [...usable].map(([key, {text}]) => [key, text]), first, draw);
  redraws.push(() => frame.chart && frame.draw());
  return {section: chartSection(id, heading, intro, [choice], frame, data), draw: () => draw(first)};
};

const partsSection = (rows) => {
  const timed = rows.filter((row) => row.metric === 'time' && row.parts);
  if (timed.length === 0) return null;
  const frame = new ChartFrame('parts-chart', 'tilemeter-parts');
  const data = element('div', {class: 'figures'});
  const draw = (index) => {
    const row = timed[Number(index)];
    frame.show(
        () => partsConfiguration(row),
        `What the time of ${row.kernel}, ${row.problem} is made of. The figures are in the table below the chart.`);
    data.replaceChildren(simpleTable(
        'parts-table', ['part', 'from', 'to', 'time'],
        timeParts(row).map(([name, from, to]) => [name, duration(from), duration(to), duration(to - from)])));
  };
  const text = (row) => `${row.split}: ${row.kernel}, ${row.problem} (${row.source})`;
  const choice = chooser('row', timed.map((row, index) => [String(index), text(row)]), '0', draw);
  redraws.push(() => frame.chart && frame.draw());
  const section = chartSection(
      'parts', 'What a time is made of',
      'Each resource alone, behind the launches; what of the others is not hidden under the largest; the whole, and what was measured.',
      [choice], frame, data);
  return {section, draw: () => draw('0')};
};

const ladderSection = (report) => {
  if (report.ladder.length === 0) return null;
  const groups = new Map();
  for (const step of report.ladder) {
    const key = `split ${step.split}: ${step.problem}`;
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  const frame = new ChartFrame('ladder-chart', 'tilemeter-ladder');
  const data = element('div', {class: 'figures'});
  const draw = (key) => {
    const steps = groups.get(key);
    frame.show(() => ladderConfiguration(steps), `Gains of rungs, ${key}. The figures are in the table below the chart.`);
    data.replaceChildren(simpleTable(
        'ladder-table', ['rung', 'on', 'measured', 'predicted', 'points apart', 'right sign', 'within 10 points'],
        steps.map(
            (step) =>
                [step.rung, step.below, signedPercent(step.measured_gain), signedPercent(step.predicted_gain),
                 step.points.toFixed(1), step.sign_right ? 'yes' : 'NO', step.within ? 'yes' : 'NO'])));
  };
  const [first] = groups.keys();
  redraws.push(() => frame.chart && frame.draw());
  const section = chartSection(
      'ladder', 'What each rung gains', 'Time of the rung below over its own, minus 1.',
      [chooser('show', [...groups.keys()].map((key) => [key, key]), first, draw)], frame, data);
  return {section, draw: () => draw(first)};
};

/** Observations with a time as operations of the roofline. */
const operationsOf = (report) => report.observations
                                     .filter(({measured_seconds: seconds, flops}) => seconds !== null && Number(flops) > 0)
                                     .map((observation) => ({
                                            kernel: `${observation.kernel}, ${observation.text}`,
                                            device: observation.device,
                                            math_dtype: observation.math_dtype,
                                            flops: observation.flops,
                                            hbm_bytes: observation.compulsory_bytes,
                                            packed_bytes: observation.edge_bytes,
                                            measured_flop_per_second:
                                                Number(observation.flops) / observation.measured_seconds,
                                          }));

const summaryHeads = [
  'metric', 'split', 'rows are', 'of', 'rows', 'mean', 'median', 'max', 'bias', 'in interval', 'roofline, mean',
  'no L2, mean', 'worst'
];
const summaryCells = (summary) => [
  summary.metric, summary.split ?? '', summary.role, summary.who, String(summary.count), percentText(summary.mean),
  percentText(summary.median), percentText(summary.max), signedPercent(summary.bias), percentText(summary.coverage),
  percentText(summary.roofline_mean), percentText(summary.two_level_mean),
  `${summary.worst.kernel}, ${summary.worst.problem}`
];

const tableSection = (report) => element(
    'section', {id: 'summaries', class: 'table', 'aria-labelledby': 'summaries-heading'},
    element('h2', {id: 'summaries-heading'}, 'Errors together and by kernel'),
    element(
        'div', {class: 'bar'}, element('span', {class: 'space'}),
        element(
            'button',
            {type: 'button', id: 'json', onclick: () => download('tilemeter.json', 'application/json', [report.text])},
            'Download JSON')),
    simpleTable('summaries-table', summaryHeads, report.summaries.map(summaryCells)),
    element(
        'ul', {class: 'notes'},
        ...report.splits.map(
            ({name, statement, fitted, held_out: held}) =>
                element('li', {}, `split ${name}: ${statement} (${fitted} fitted, ${held} held out)`))),
    foldedTable('notes', 'What is missing or was left out', ['note'], () => [...report.missing, ...report.notes].map((note) => [note])));

const showValidation = (report) => {
  const rows = report.rows.map((row) => readRow(row, report.observations));
  const groups = rowGroups(rows);
  document.getElementById('summary').append(...headOfValidation(report));
  const charts = [
    groupSection(
        'scatter', 'Predicted against measured',
        'Both axes logarithmic; triangles were held out of the fit. Drag over the chart to zoom; double-click to reset.',
        groups, scatterConfiguration, ({measured, predicted}) => measured > 0 && predicted > 0),
    groupSection(
        'errors', 'Errors by length', 'Of problems that have a length.', groups, errorConfiguration,
        ({length, error}) => length !== null && error !== null),
    partsSection(rows),
    ladderSection(report),
    rooflineSection({devices: report.devices, rows: operationsOf(report), view: 'validate'}, []),
  ].filter(Boolean);
  document.getElementById('sections')
      .append(verdictSection(report), ...charts.map(({section}) => section), tableSection(report));
  charts.forEach(({draw}) => draw());
};
