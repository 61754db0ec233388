// Total traffic over block_q x block_k. A small Chart.js chart type draws one rectangle a point.

class Cell extends Chart.Element {
  inRange(x, y, useFinal) {
    const box = this.getProps(['x', 'y', 'width', 'height'], useFinal);
    return Math.abs(x - box.x) <= box.width / 2 && Math.abs(y - box.y) <= box.height / 2;
  }

  getCenterPoint(useFinal) {
    const {x, y} = this.getProps(['x', 'y'], useFinal);
    return {x, y};
  }

  tooltipPosition() {
    return this.getCenterPoint();
  }

  draw(context) {
    const {x, y, width, height, look} = this;
    const box = [x - width / 2, y - height / 2, width, height];
    for (const fill of look.fills) {
      context.fillStyle = fill;
      context.fillRect(...box);
    }
    if (look.text && width > 46 && height > 15) {
      context.font = `11px ${Chart.defaults.font.family}`;
      context.fillStyle = look.ink;
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      context.fillText(look.text, x, y);
    }
  }

  drawRing(context) {
    const width = Math.max(this.width - 4, 8);
    const height = Math.max(this.height - 4, 8);
    for (const [lineWidth, colour] of [[5, '#10151c'], [2.5, '#ffffff']]) {
      context.lineWidth = lineWidth;
      context.strokeStyle = colour;
      context.strokeRect(this.x - width / 2, this.y - height / 2, width, height);
    }
  }
}
Cell.id = 'cell';
Cell.defaults = {};

class HeatMap extends Chart.DatasetController {
  draw() {
    super.draw();
    this._cachedMeta.data.filter((cell) => cell.look.isMinimum).forEach((cell) => cell.drawRing(this.chart.ctx));
  }

  update(mode) {
    this.updateElements(this._cachedMeta.data, 0, this._cachedMeta.data.length, mode);
  }

  updateElements(cells, start, count, mode) {
    const {xScale, yScale} = this._cachedMeta;
    const step = (scale) =>
        Math.abs(scale.getPixelForValue(scale.min + 1) - scale.getPixelForValue(scale.min)) || scale.width;
    const gap = step(xScale) > 12 ? 1 : 0;
    const [width, height] = [step(xScale) - gap, step(yScale) - gap];
    for (let i = start; i < start + count; i += 1) {
      const {x, y} = this.getParsed(i);
      cells[i].look = this.getDataset().data[i].look;
      this.updateElement(
          cells[i], i, {x: xScale.getPixelForValue(x), y: yScale.getPixelForValue(y), width, height}, mode);
    }
  }
}
HeatMap.id = 'heatMap';
HeatMap.defaults = {
  dataElementType: 'cell'
};
HeatMap.overrides = {
  scales: {x: {type: 'category', offset: true}, y: {type: 'category', offset: true}}
};
Chart.register(Cell, HeatMap);

/**
 * Least value among the points that fit and were counted, and all points that reach it (fewest elements on chip
 * first).
 */
const minimum = (points, metric) => {
  const counted = points.filter((point) => point.feasible && metric.of(point) !== null);
  if (counted.length === 0) return null;
  const value = counted.map(metric.of).reduce((a, b) => (b < a ? b : a));
  const size = (point) => point.peak_elements ?? point.block_q * point.block_k;
  const at = counted.filter((point) => metric.of(point) === value)
                 .sort(
                     (a, b) =>
                         (size(a) < size(b)     ? -1 :
                              size(a) > size(b) ? 1 :
                                                  0));
  return {value, at};
};

const minimumText = (least, metric) => {
  if (least === null) return 'No tiling of this map fits.';
  const [first] = least.at;
  const ties = least.at.length === 1 ?
      '' :
      ` ${plural(least.at.length, 'tiling')} reach it; this one holds the fewest elements on chip.`;
  return `Minimum: ${metric.text(least.value)} at block_q = ${grouped(first.block_q)}, block_k = ${
      grouped(first.block_k)}.${ties}`;
};

/** Range of the colours, over all counted points of the map. */
const heatRange = (points, metric) => {
  const values = points.map(metric.of).filter((value) => value !== null).map(Number);
  return values.length === 0 ? null :
                               [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
};

const heatShare = ([low, high], value) => {
  if (high === low) return 0;
  return low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
};

const cellLook = (point, metric, range, least, colours, patterns) => {
  const value = metric.of(point);
  const share = value === null ? 0 : heatShare(range, Number(value));
  const fills = [value === null ? colours.line : heat(share)];
  if (!point.feasible) fills.push(value === null ? patterns.empty : patterns.over);
  const text = value === null || !point.feasible ? '' : metric.tick(value);
  return {fills, text, ink: share > 0.55 ? '#10151c' : '#ffffff', isMinimum: least !== null && least.at[0] === point};
};

const heatDimension = (key) => dimensions.find((dim) => dim.key === key);

/** The Chart.js configuration of the map of `points`. */
const heatConfiguration = (points, metric) => {
  const colours = theme();
  const patterns = {over: hatch(null, 'rgb(255 255 255 / 75%)'), empty: hatch(null, colours.muted)};
  const least = minimum(points, metric);
  const range = heatRange(points, metric);
  const data = points.map((point) => ({
                            x: String(point.block_q),
                            y: String(point.block_k),
                            point,
                            look: cellLook(point, metric, range, least, colours, patterns)
                          }));
  const options = baseOptions(colours);
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.display = false;
  options.plugins.tooltip.callbacks = {
    title: ([item]) =>
        (item ? `block_q = ${grouped(item.raw.point.block_q)}, block_k = ${grouped(item.raw.point.block_k)}` : ''),
    label: ({raw}) => [raw.point.algorithm, ...pointLines(raw.point)],
    footer: ([item]) => (item ? pointFooter(item.raw.point) : []),
  };
  const side = (key, reverse) => {
    const sizes = valuesOf(points, heatDimension(key));
    const ticks = {maxRotation: 0, autoSkipPadding: 8, callback: (place) => grouped(sizes[place])};
    return {
      type: 'category',
      labels: sizes.map(String),
      offset: true,
      reverse,
      ...axis(colours, `${key} (rows)`, {grid: {display: false}, ticks})
    };
  };
  options.scales = {x: side('block_q', false), y: side('block_k', true)};
  return {type: 'heatMap', data: {datasets: [{kind: 'heat', label: metric.title, data}]}, options};
};
