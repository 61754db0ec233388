// Ticks of logarithmic axes: at the swept values where they are few, else at round numbers of the unit.

const roundTicks = (low, high, isBinary) => {
  const ticks = [];
  const base = isBinary ? 2 : 10;
  const steps = isBinary ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log(low) / Math.log(base)); base ** power <= high; power += 1) {
    for (const step of steps) {
      const value = step * base ** power;
      if (value >= low && value <= high) ticks.push(value);
    }
  }
  return ticks;
};

const evenTicks = (low, high) => {
  const size = 10 ** Math.floor(Math.log10((high - low) / 3));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((candidate) => (high - low) / candidate <= 8);
  const ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
  return ticks;
};

/** Between three and about ten tick values of a logarithmic axis from `low` to `high`. */
const logarithmicTicks = (low, high, isBinary) => {
  if (!(low > 0) || !(high > low)) return [low];
  const ticks = roundTicks(low, high, isBinary);
  if (ticks.length < 3) return evenTicks(low, high);
  const stride = Math.ceil(ticks.length / 10);
  if (stride === 1) return ticks;
  return isBinary ? ticks.filter((_, i) => i % stride === 0) :
                    roundTicks(low, high, false).filter((tick) => /^1/.test(tick.toExponential()));
};

/** `values` in order, without those that would print over the one before. */
const apartFrom = (values) =>
    [...values].sort((a, b) => a - b).reduce((kept, value) => (value < 1.05 * (kept.at(-1) ?? 0) ? kept : [...kept, value]), []);

/** An axis over positive numbers; linear when the values include zero. */
const numericAxis = (colours, title, values, {isBinary = false, text, atValues = false}) => ({
  ...axis(colours, title, {ticks: {callback: text, maxRotation: 0, autoSkipPadding: 14}}),
  type: values.every((value) => value > 0) ? 'logarithmic' : 'linear',
  afterBuildTicks: (scale) => {
    if (scale.type !== 'logarithmic') return;
    const inside = apartFrom(values.filter((value) => value >= scale.min && value <= scale.max));
    const ticks = atValues && inside.length > 0 && inside.length <= 14 ?
        inside :
        logarithmicTicks(scale.min, scale.max, isBinary);
    scale.ticks = ticks.map((value) => ({value}));
  },
});

/** `values` with a margin on a logarithmic axis, as [low, high]. */
const spread = (values, margin) => {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const factor = low > 0 ? Math.max((high / low) ** margin, 1.04) : 1;
  return [low / factor, high * factor];
};
