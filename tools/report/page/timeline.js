// The page of a trace: a row for each unit of an SM, opened on a few steps of the loop in steady state.

const mostDrawnSpans = 3000;
const microseconds = (value) => duration(value * 1e-6);

const spansIn = (spans, {from, to}) => spans.filter(({begin, end}) => end > from && begin < to);

const timelineTooltip = (span) =>
    [`${span.name} on ${waitText(span.unit)}${span.block === null ? '' : `, block ${span.block}`}`,
     `${microseconds(span.begin)} to ${microseconds(span.end)}: ${microseconds(span.end - span.begin)}`,
     ...(span.waited && span.waited !== 'order' ? [`waited for ${waitText(span.waited)}`] : [])];

/** A dataset for each phase, so that the legend names them; waits are hatched. */
const timelineConfiguration = (report, spans, window) => {
  const colours = theme();
  const drawn = spansIn(spans, window).slice(0, mostDrawnSpans);
  const phases = [...new Set(spans.filter(({unit}) => unit !== 'waits').map(({name}) => name))];
  const units = unitsOf(report);
  const dataset = (label, kind, own, colour) => ({
    label,
    kind,
    grouped: false,
    data: own.map((span) => ({x: [span.begin, span.end], y: span.unit, span})),
    backgroundColor: colour,
    borderColor: colours.surface,
    borderWidth: {left: 1},
    borderSkipped: false,
    barPercentage: 0.86,
    categoryPercentage: 1,
    minBarLength: 1
  });
  const datasets =
      phases
          .map((phase, index) => {
            const colour = seriesColour(colours, index);
            const fill = index < colours.series.length ? colour : hatch(colours.surface, colour);
            return dataset(phase, 'span', drawn.filter(({unit, name}) => unit !== 'waits' && name === phase), fill);
          })
          .filter(({data}) => data.length > 0);
  const waits = drawn.filter(({unit}) => unit === 'waits');
  if (waits.length > 0) datasets.push(dataset('wait', 'wait', waits, hatch(colours.surface, colours.muted)));
  const options = baseOptions(colours);
  options.indexAxis = 'y';
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.labels.usePointStyle = false;
  options.plugins.legend.labels.boxWidth = 14;
  options.plugins.tooltip.callbacks = {title: () => '', label: ({raw}) => timelineTooltip(raw.span)};
  options.scales = {
    x: {
      ...axis(colours, 'time since the start (us)', {ticks: {maxRotation: 0, autoSkipPadding: 18}}),
      type: 'linear',
      min: window.from,
      max: window.to
    },
    y: {
      type: 'category',
      labels: units,
      ...axis(colours, '', {grid: {display: false}, ticks: {callback: (place) => waitText(units[place])}})
    }
  };
  options.scales.y.title.display = false;
  return {type: 'bar', data: {datasets}, options};
};

const timelineFigures = (spans, window) => ({
  columns: [
    column('unit'), column('step'), column('block', '', true), column('begin', 'us'), column('end', 'us'),
    column('waited for')
  ],
  rows: spansIn(spans, window)
            .map(
                ({unit, name, block, begin, end, waited}) =>
                    [waitText(unit), name, block === null ? null : integer(block), begin, end,
                     waited ? waitText(waited) : null])
});

/** Moves of the window: buttons rather than gestures, so that a keyboard does. */
const timelineMoves = (whole) => {
  const within = ({from, to}) => {
    const length = Math.min(to - from, whole.to - whole.from);
    const start = Math.min(Math.max(from, whole.from), whole.to - length);
    return {from: start, to: start + length};
  };
  const around = (window, factor) => {
    const [middle, half] = [(window.from + window.to) / 2, (window.to - window.from) * factor / 2];
    return within({from: middle - half, to: middle + half});
  };
  const by = (window, part) => {
    const length = window.to - window.from;
    return within({from: window.from + part * length, to: window.to + part * length});
  };
  return [
    ['Earlier', (window) => by(window, -0.5)], ['Later', (window) => by(window, 0.5)],
    ['Closer', (window) => around(window, 0.5)], ['Wider', (window) => around(window, 2)], ['Whole run', () => whole]
  ];
};

class TimelineView {
  constructor(report) {
    this.report = report;
    this.spans = report.sms.map((sm) => readSpans(report, sm));
    this.frame = new ChartFrame('timeline');
    this.frame.fixed('24rem');
    this.note = element('p', {id: 'steady', role: 'status'});
    this.choose(0);
  }

  choose(sm) {
    this.sm = sm;
    const spans = this.spans[sm];
    this.whole = {from: spans[0]?.begin ?? 0, to: spans.reduce((most, {end}) => Math.max(most, end), 1e-6)};
    this.steady = steadyState(spans);
    this.window = this.steady ?? this.whole;
  }

  text() {
    const busy = busyIn(this.report, this.spans[this.sm], this.window).filter(([, part]) => part > 0);
    const shares = busy.map(([unit, part]) => `${waitText(unit)} ${share(part)}`).join(', ');
    return `${microseconds(this.window.from)} to ${microseconds(this.window.to)} on ${
        this.report.sms[this.sm].name}. Busy in this window: ${shares || 'nothing'}.`;
  }

  draw() {
    const spans = this.spans[this.sm];
    const {window} = this;
    const found = spansIn(spans, window).length;
    const cut = found > mostDrawnSpans ?
        ` The first ${grouped(BigInt(mostDrawnSpans))} of ${plural(found, 'span')} are drawn.` :
        '';
    this.note.textContent = this.text() + cut;
    this.frame.show(
        () => timelineConfiguration(this.report, spans, window), `Timeline, ${this.note.textContent}`,
        timelineFigures(spans, window));
  }

  controls() {
    const move = (text, moved) => element(
        'button', {
          type: 'button',
          onclick: () => {
            this.window = moved();
            this.draw();
          }
        },
        text);
    const sms = this.report.sms.map(({name}, index) => [String(index), name]);
    const choice = sms.length > 1 ? chooser('SM', sms, '0', (index) => {
      this.choose(Number(index));
      this.draw();
    }) : null;
    return [
      choice, this.steady ? move('Steady state', () => this.steady ?? this.whole) : null,
      ...['Earlier', 'Later', 'Closer', 'Wider', 'Whole run'].map(
          (name, index) => move(name, () => timelineMoves(this.whole)[index][1](this.window)))
    ];
  }

  section() {
    const steps =
        this.steady ? `Opens on ${plural(this.steady.steps, 'step')} of the loop in the middle of the run. ` : '';
    return chartSection(
        'timeline', 'Timeline of one SM',
        `${steps}A row is a unit, a bar what a block does on it; the last row says when something that was due had to wait.`,
        this.controls(), this.frame, this.note);
  }
}

const timelineHeadline = (report, view) => {
  const {steady} = view;
  if (!steady) return `${plural(report.sms.length, 'SM')} traced for ${microseconds(view.whole.to)}.`;
  const [[unit, part]] = busyIn(report, view.spans[view.sm], steady);
  return `In steady state a step of the loop takes ${microseconds(steady.step)} on ${
      report.sms[view.sm].name}, and the ${waitText(unit)} is busy ${share(part)} of it.`;
};

const showTimeline = (report) => {
  const counted = report.sms.reduce((sum, {spans}) => sum + spans.length, 0);
  document.getElementById('summary').append(element(
      'dl', {class: 'facts', id: 'run'}, fact('SMs', String(report.sms.length)),
      fact('spans', grouped(BigInt(counted))),
      ...(Number(report.left_out) > 0 ? [fact('later spans left out', grouped(integer(report.left_out)))] : [])));
  if (report.sms.length === 0) return 'The trace has no spans.';
  const view = new TimelineView(report);
  document.getElementById('sections').append(view.section());
  view.draw();
  return timelineHeadline(report, view);
};
