// Colours from the style sheet, so that charts follow the light and dark schemes and print light.

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const theme = () => ({
  ink: style('--ink'),
  muted: style('--muted'),
  line: style('--line'),
  surface: style('--surface'),
  bad: style('--bad'),
  good: style('--good'),
  warn: style('--warn'),
  series: style('--series').split(/\s+/),
});

/** The colour of the nth series. */
const seriesColour = (colours, index) => colours.series[index % colours.series.length];

const pointStyles = ['circle', 'triangle', 'rect', 'rectRounded', 'rectRot'];

/**
 * Draws charts one after the other, the first at once: between two the browser can show the page and answer its reader.
 */
const waiting = [];
const drawNext = () => {
  waiting.shift()?.();
  if (waiting.length > 0) setTimeout(drawNext);
};
const drawAll = (sections) => {
  const [first, ...rest] = sections.map(({draw}) => draw);
  first?.();
  waiting.push(...rest);
  if (rest.length > 0) setTimeout(drawNext);
};
const whenDrawn = (done) => (waiting.length > 0 ? waiting.push(done) : done());

/** Everything that must be redrawn when the colour scheme changes. */
const redraws = [];
const redrawAll = () => redraws.forEach((redraw) => redraw());

const watchScheme = () => {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
  // Paper has another width: every chart is drawn again for it, and once more for the screen.
  for (const moment of ['beforeprint', 'afterprint'])
    addEventListener(moment, () => {
      while (waiting.length > 0) waiting.shift()();
      redrawAll();
    });
};

/** Colour of `share` in 0..1 on a perceptually even scale (viridis, nine stops). */
const viridis = [
  [68, 1, 84], [71, 45, 123], [59, 82, 139], [44, 114, 142], [33, 145, 140], [40, 174, 128], [94, 201, 98],
  [173, 220, 48], [253, 231, 37]
];
const heat = (share) => {
  const place = Math.min(Math.max(share, 0), 1) * (viridis.length - 1);
  const low = Math.min(Math.floor(place), viridis.length - 2);
  const mix = viridis[low].map((start, i) => Math.round(start + (viridis[low + 1][i] - start) * (place - low)));
  return `rgb(${mix.join(' ')})`;
};

/** A diagonal hatch over `background` (null: over what is there). */
const hatch = (background, ink) => {
  const tile = element('canvas', {width: 8, height: 8});
  const context = tile.getContext('2d');
  if (background) {
    context.fillStyle = background;
    context.fillRect(0, 0, 8, 8);
  }
  context.strokeStyle = ink;
  context.lineWidth = 1.2;
  context.beginPath();
  for (const start of [-4, 0, 4]) {
    context.moveTo(start, 8);
    context.lineTo(start + 8, 0);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat');
};
