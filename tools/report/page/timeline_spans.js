// The spans of a trace: when the steps of a block were done on each unit of an SM, and the window that repeats.

/** Spans of an SM as records, in order of their begins. Times are in us. */
const readSpans = (report, sm) => sm.spans
                                      .map(([unit, name, begin, length, block, waited]) => ({
                                             unit: report.units[unit],
                                             name,
                                             begin: Number(begin),
                                             end: Number(begin) + Number(length),
                                             block,
                                             waited
                                           }))
                                      .sort((a, b) => a.begin - b.begin);

const countBy = (items, key) => {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
};

/** The unit and phase that occur most among the spans that are no waits; the beat of the loop. */
const beatOf = (spans) => {
  const busy = spans.filter(({unit}) => unit !== 'waits');
  const onTensor = busy.filter(({unit}) => unit === 'tensor');
  const counted = countBy(onTensor.length > 0 ? onTensor : busy, ({unit, name}) => `${unit}\u0001${name}`);
  if (counted.size === 0) return null;
  const [most] = [...counted].reduce((a, b) => (b[1] > a[1] ? b : a));
  const [unit, name] = most.split('\u0001');
  return {unit, name};
};

/** After how many beats the gaps between them repeat: a step of the loop may have several. */
const periodOf = (begins) => {
  const gaps = begins.slice(1).map((begin, index) => begin - begins[index]);
  const middle = Math.floor(gaps.length / 4);
  const inner = gaps.slice(middle, gaps.length - middle);
  const mean = inner.reduce((sum, gap) => sum + gap, 0) / inner.length;
  const repeats = (period) => inner.slice(period).every((gap, index) => Math.abs(gap - inner[index]) < 0.1 * mean);
  const periods = Array.from({length: Math.floor(inner.length / 2)}, (_, index) => index + 1);
  return periods.find(repeats) ?? 1;
};

/**
 * The steady state: whole steps of the loop in the middle of the block in the middle of the run. `steps` beats later
 * the window ends; `step` is the time of one. Null where no block has more than three steps.
 */
const steadyState = (spans, steps = 4) => {
  const beat = beatOf(spans);
  if (beat === null) return null;
  const beats = spans.filter(({unit, name}) => unit === beat.unit && name === beat.name);
  const blocks = [...new Set(beats.map(({block}) => block))];
  const block = blocks[Math.floor(blocks.length / 2)];
  const own = beats.filter((span) => span.block === block);
  const period = periodOf(own.map(({begin}) => begin));
  const taken = Math.min(steps, Math.floor((own.length - 2) / period));
  if (taken < 1) return null;
  const first = Math.max(0, Math.floor((own.length - taken * period) / 2));
  const [from, to] = [own[first].begin, own[first + taken * period].begin];
  return to > from ? {from, to, steps: taken, step: (to - from) / taken, block} : null;
};

/** The time within [from, to] that any of `spans` covers. */
const covered = (spans, from, to) => {
  let reached = from;
  let sum = 0;
  for (const {begin, end} of spans) {
    const [low, high] = [Math.max(begin, reached), Math.min(end, to)];
    if (high <= low) continue;
    sum += high - low;
    reached = high;
  }
  return sum;
};

const unitsOf = (report) =>
    [...report.units.filter((unit) => unit !== 'waits'), ...report.units.filter((unit) => unit === 'waits')];

/** The share of the window that each unit is busy, busiest first. */
const busyIn = (report, spans, {from, to}) =>
    unitsOf(report)
        .filter((unit) => unit !== 'waits')
        .map((unit) => [unit, covered(spans.filter((span) => span.unit === unit), from, to) / (to - from)])
        .sort((a, b) => b[1] - a[1]);
