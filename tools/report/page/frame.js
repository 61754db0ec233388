// What every chart has: a canvas, zoom by dragging a rectangle, reset, and an image to save.

const rectangleOf = (start, end, area) => {
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const xs = [start.x, end.x].map((x) => clamp(x, area.left, area.right)).sort((a, b) => a - b);
  const ys = [start.y, end.y].map((y) => clamp(y, area.top, area.bottom)).sort((a, b) => a - b);
  return {left: xs[0], right: xs[1], top: ys[0], bottom: ys[1], width: xs[1] - xs[0], height: ys[1] - ys[0]};
};

const limitAxis = (options, from, to) => {
  options.min = Math.min(from, to);
  options.max = Math.max(from, to);
};

/**
 * A chart in its frame, with its figures as a table and as CSV. `configure()` returns a fresh Chart.js configuration.
 */
class ChartFrame {
  constructor(name) {
    this.canvas = element('canvas', {id: `${name}-chart`, role: 'img'});
    this.box = element('div', {class: 'canvas'}, this.canvas);
    this.figures = new FoldedFigures(name);
    this.reset = element('button', {type: 'button', disabled: true, onclick: () => this.draw()}, 'Reset zoom');
    const save = element('button', {type: 'button', onclick: () => this.save(`tilemeter-${name}`)}, 'PNG');
    this.saving = save;
    this.csv = csvButton(name, () => this.figures.figures, 'this chart');
    this.buttons = [this.reset, save, this.csv];
    this.listen();
    redraws.push(() => this.chart && this.draw());
  }

  /** `label` says in words what is drawn; `figures` are its columns and rows. */
  show(configure, label, figures) {
    this.configure = configure;
    this.canvas.setAttribute('aria-label', `${label} The figures are in the table below the chart.`);
    this.figures.show(label, figures);
    this.draw();
  }

  /** Without zoom: for charts whose axes have names rather than numbers. */
  fixed(height = null) {
    this.reset.hidden = true;
    this.isFixed = true;
    if (height) this.box.style.height = height;
  }

  draw() {
    this.chart?.destroy();
    this.chart = new Chart(this.canvas, this.configure());
    this.reset.disabled = true;
  }

  zoom(rectangle) {
    const {x, y} = this.chart.scales;
    limitAxis(this.chart.options.scales.x, x.getValueForPixel(rectangle.left), x.getValueForPixel(rectangle.right));
    limitAxis(this.chart.options.scales.y, y.getValueForPixel(rectangle.bottom), y.getValueForPixel(rectangle.top));
    this.chart.update('none');
    this.reset.disabled = false;
  }

  listen() {
    const place = (event) => ({x: event.offsetX, y: event.offsetY});
    let start = null;
    let mark = null;
    const finish = () => {
      mark?.remove();
      start = mark = null;
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      if (this.isFixed || event.button !== 0 || event.pointerType === 'touch') return;
      start = place(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (!start) return;
      const {left, top, width, height} = rectangleOf(start, place(event), this.chart.chartArea);
      if (!mark) this.box.append(mark = element('div', {class: 'selection'}));
      Object.assign(mark.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`});
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (!start) return;
      const rectangle = rectangleOf(start, place(event), this.chart.chartArea);
      finish();
      if (rectangle.width > 8 && rectangle.height > 8) this.zoom(rectangle);
    });
    this.canvas.addEventListener('pointercancel', finish);
    this.canvas.addEventListener('dblclick', () => this.draw());
  }

  save(fileName) {
    const picture = element('canvas', {width: this.canvas.width, height: this.canvas.height});
    const context = picture.getContext('2d');
    context.fillStyle = theme().surface;
    context.fillRect(0, 0, picture.width, picture.height);
    context.drawImage(this.canvas, 0, 0);
    element('a', {href: picture.toDataURL('image/png'), download: `${fileName}.png`}).click();
  }
}

/** Title, tick and tooltip settings that all charts share. */
const axis = (colours, title, more = {}) => ({
  title: {display: true, text: title, color: colours.muted},
  border: {color: colours.line},
  ...more,
  ticks: {color: colours.muted, ...more.ticks},
  grid: {color: colours.line, borderColor: colours.line, ...more.grid},
});

/** An axis of names, each of which is shown. */
const nameAxis = (colours) => {
  const names = axis(colours, '', {grid: {display: false}, ticks: {autoSkip: false}});
  names.title.display = false;
  return names;
};

const baseOptions = (colours) => ({
  animation: false,
  maintainAspectRatio: false,
  interaction: {mode: 'nearest', intersect: false},
  plugins: {
    legend: {labels: {color: colours.ink, usePointStyle: true, boxHeight: 7, padding: 14}},
    tooltip: {
      backgroundColor: colours.surface,
      borderColor: colours.muted,
      borderWidth: 1,
      padding: 10,
      caretPadding: 8,
      titleColor: colours.ink,
      bodyColor: colours.ink,
      footerColor: colours.bad,
      displayColors: false,
      titleMarginBottom: 4,
      bodySpacing: 3,
    },
  },
});

/** Legend entries whose dashes are those of their lines. */
const dashedLegend = (chart) => Chart.defaults.plugins.legend.labels.generateLabels(chart).map((entry) => {
  const {borderDash, kind} = chart.data.datasets[entry.datasetIndex];
  return {...entry, kind, lineDash: borderDash ?? [], lineWidth: 2};
});

/** The lines of a point's tooltip: its figures, its tiling, how it compares with its closed form. */
const pointLines = (point) => {
  const lines = [];
  if (point.elements) {
    if (point.elements.read !== null)
      lines.push(`read ${grouped(point.elements.read)}, write ${grouped(point.elements.write)} elements`);
    lines.push(`total ${grouped(point.elements.total)} elements`);
  }
  if (point.bytes) lines.push(`total ${grouped(point.bytes.total)} bytes (${binary(point.bytes.total)})`);
  if (point.seconds !== null) lines.push(`predicted ${duration(point.seconds)}`);
  if (point.block_m !== null)
    lines.push(`tiles ${[point.block_m, point.block_n, point.block_k].map(grouped).join(' x ')}${
        point.order === null ? '' : `, ${point.order}`}`);
  if (point.block_q !== null)
    lines.push(
        `tiles ${grouped(point.block_q)} x ${grouped(point.block_k)}, ${plural(Number(point.stages ?? 1n), 'stage')}`);
  if (point.peak_elements !== null) lines.push(`on chip ${grouped(point.peak_elements)} elements`);
  return lines;
};

const pointFooter = (point) => {
  if (point.feasible) return point.status === 'MISMATCH' ? ['differs from its closed form'] : [];
  const size = point.overflow === null ? '' : ` (${grouped(point.overflow)} elements too large)`;
  return [...wrapped(`does not fit${size}`), ...wrapped(point.reason).slice(0, 4)].map((line) => line.trimEnd());
};
