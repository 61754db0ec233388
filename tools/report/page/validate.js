// The page of `validate`: verdicts in words, then charts, each with its data as a table.

const verdictKind = {kept: 'good', missed: 'bad', 'no limit': 'warn'};

const worstOf = ({worst}) => worst.map(
    ({kernel, problem, error, detail}) => `${kernel}, ${problem}: ${signedPercent(error)}${detail ? ` (${detail})` : ''}`);

const verdictFigures = (report) => ({
  columns: [
    column('metric'), column('verdict'), column('split'), column('of'), column('limit'), column('found'), column('largest errors')
  ],
  rows: report.verdicts.map((verdict) => [
    metricTitles[verdict.metric], verdict.status, verdict.split ?? '', verdict.who, verdict.limit, verdict.words,
    worstOf(verdict).join('; ')
  ])
});

/** The verdict stands out in its colour. */
const verdictSection = (report) => {
  const section = tableSection('verdicts', 'Verdicts', verdictFigures(report), {
    intro: 'Each metric has its own limit; a good time excuses no wrong traffic.',
    buttons: [jsonButton(report)]
  });
  section.querySelectorAll('tbody tr').forEach((row, index) => {
    const {status} = report.verdicts[index];
    row.children[1].replaceChildren(element('span', {class: `tag ${verdictKind[status]}`}, status));
    const worst = worstOf(report.verdicts[index]);
    if (worst.length > 0)
      row.lastElementChild.replaceChildren(
          element('details', {}, element('summary', {}, `the ${worst.length} largest`), noteList(worst)));
  });
  return section;
};

const headOfValidation = (report) => {
  const judged = report.verdicts.filter(({status}) => status !== 'no limit');
  const kept = judged.filter(({status}) => status === 'kept').length;
  return [
    element(
        'dl', {class: 'facts', id: 'run'}, fact('device', report.device),
        fact('observations', grouped(BigInt(report.observations.length))),
        fact('splits', report.splits.map(({name}) => name).join(', ') || 'none')),
    element(
        'p', {class: `verdict ${kept === judged.length ? 'good' : 'bad'}`, id: 'verdict', role: 'status'},
        `${kept} of ${plural(judged.length, 'limit')} kept`)
  ];
};

/** The traffic that kernels counted, and the errors of held-out times beside those of a roofline. */
const validationHeadline = (report) => {
  const together = (metric, split, role) => report.summaries.find(
      (one) => one.group && one.metric === metric && (one.split ?? '') === split && one.role === role);
  const exact = report.verdicts.find(({metric}) => metric === 'tensors');
  const times = together('time', 'length', 'held out') ?? report.summaries.find(({metric, group}) => metric === 'time' && group);
  return [
    exact ? `Traffic by the kernels' own counters: ${exact.words.split(';')[0]}.` : '',
    times ? `Times of ${times.who}${times.role === 'held out' ? ', held out,' : ''} are predicted with a median error of ${
                share(times.median)}, ${share(times.mean)} in the mean${
                typeof times.roofline_mean === 'number' ? `; a roofline's mean is ${share(times.roofline_mean)}` : ''}.` : ''
  ].filter(Boolean).join(' ') || `${plural(report.rows.length, 'row')} compared.`;
};

/** A chart of the rows of one metric and split, which a drop-down chooses. */
const groupSection = (id, heading, intro, groups, configuration, suits) => {
  const usable = new Map([...groups].filter(([, {rows}]) => rows.some(suits)));
  if (usable.size === 0) return null;
  const frame = new ChartFrame(id);
  const draw = (key) => {
    const {text, rows} = usable.get(key);
    frame.show(() => configuration(rows), `${heading}: ${text}.`, rowFigures(rows));
  };
  const first = firstGroup(usable);
  const choice = chooser('show', [...usable].map(([key, {text}]) => [key, text]), first, draw);
  return {section: chartSection(id, heading, intro, [choice], frame), draw: () => draw(first)};
};

const partsSection = (rows) => {
  const timed = rows.filter((row) => row.metric === 'time' && row.parts);
  if (timed.length === 0) return null;
  const frame = new ChartFrame('parts');
  frame.fixed();
  const draw = (index) => {
    const row = timed[Number(index)];
    frame.show(
        () => timeBarConfiguration(timeParts(row, theme()), 'parts', theme()),
        `What the time of ${row.kernel}, ${row.problem} is made of.`, timeBarFigures(timeParts(row, theme()), 'part'));
  };
  const text = (row) => `${row.split}: ${row.kernel}, ${row.problem} (${row.source})`;
  const choice = chooser('row', timed.map((row, index) => [String(index), text(row)]), '0', draw);
  const section = chartSection(
      'parts', 'What a time is made of',
      'Each resource alone, behind the launches; what of the others is not hidden under the largest; the whole, and what was measured.',
      [choice], frame);
  return {section, draw: () => draw('0')};
};

const ladderFigures = (steps) => ({
  columns: [
    column('rung'), column('on'), column('measured gain', '%'), column('predicted gain', '%'), column('apart', 'points'),
    column('right sign'), column('within 10 points')
  ],
  rows: steps.map((step) => [
    step.rung, step.below, 100 * step.measured_gain, 100 * step.predicted_gain, step.points, step.sign_right ? 'yes' : 'NO',
    step.within ? 'yes' : 'NO'
  ])
});

const ladderSection = (report) => {
  if (report.ladder.length === 0) return null;
  const groups = new Map();
  for (const step of report.ladder) {
    const key = `split ${step.split}: ${step.problem}`;
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  const frame = new ChartFrame('ladder');
  frame.fixed();
  const draw = (key) => {
    const steps = groups.get(key);
    frame.show(() => ladderConfiguration(steps), `Gains of rungs, ${key}.`, ladderFigures(steps));
  };
  const [first] = groups.keys();
  const section = chartSection(
      'ladder', 'What each rung gains', 'Time of the rung below over its own, minus 1.',
      [chooser('show', [...groups.keys()].map((key) => [key, key]), first, draw)], frame);
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

const summaryFigures = (summaries) => ({
  columns: [
    column('of'), column('metric'), column('split'), column('rows are'), column('rows', '', true), column('mean', '%'),
    column('median', '%'), column('largest', '%'), column('bias', '%'), column('in interval', '%'),
    column('roofline, mean', '%'), column('no L2, mean', '%'), column('worst')
  ],
  rows: summaries.map((summary) => [
    summary.who, summary.metric, summary.split ?? '', summary.role, integer(summary.count),
    ...[summary.mean, summary.median, summary.max, summary.bias, summary.coverage, summary.roofline_mean, summary.two_level_mean].map(
        (value) => (typeof value === 'number' ? 100 * value : null)),
    `${summary.worst.kernel}, ${summary.worst.problem}`
  ])
});

const splitNote = ({name, statement, fitted, held_out: held}) => `split ${name}: ${statement} (${fitted} fitted, ${held} held out)`;

/** Groups of kernels in sight, single kernels folded. */
const summarySection = (report) => {
  const single = report.summaries.filter(({group}) => !group);
  const folded = new FoldedFigures('by-kernel');
  folded.show('Errors by kernel', summaryFigures(single), 'By kernel');
  return tableSection(
      'summaries', 'Errors together', summaryFigures(report.summaries.filter(({group}) => group)),
      {below: [noteList(report.splits.map(splitNote)), ...(single.length > 0 ? [folded.details] : [])]});
};

const leftOutSection = (report) => {
  const notes = [...report.missing, ...report.notes];
  return notes.length === 0 ? null :
                              tableSection(
                                  'notes', 'What is missing or was left out',
                                  {columns: [column('note')], rows: notes.map((note) => [note])});
};

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
    ...reproductionSections(report),
  ].filter(Boolean);
  document.getElementById('sections')
      .append(...[
        verdictSection(report), ...charts.map(({section}) => section), summarySection(report), leftOutSection(report)
      ].filter(Boolean));
  drawAll(charts);
  return validationHeadline(report);
};
