// What the chart sections share: their choices, their controls, their frame.

const keyEntry = (swatch, text) =>
    element('li', {}, element('span', {class: `swatch ${swatch}`, 'aria-hidden': 'true'}), text);

const metricsOf = (points) => metrics.filter((metric) => points.some((point) => metric.of(point) !== null));

/**
 * The choices of a section: one value (or all) of each of `dims`, reduced until at most `limit` combinations remain.
 */
class Choices {
  constructor(points, dims, limit) {
    this.points = points;
    this.dims = dims;
    this.selected = new Map();
    const byIncreasing = [...dims].sort((a, b) => (a.key === 'algorithm') - (b.key === 'algorithm'));
    for (const dim of byIncreasing) {
      if (new Set(this.matching().map((point) => keyOf(point, dims))).size <= limit) break;
      this.selected.set(dim.key, String(this.points[0][dim.key]));
    }
    this.limited = this.selected.size > 0;
  }

  matching() {
    return this.points.filter((point) => [...this.selected].every(([key, value]) => String(point[key]) === value));
  }

  controls(allowAll, changed) {
    if (!this.limited) return [];
    return this.dims.map((dim) => {
      const values = valuesOf(this.points, dim).map((value) => [String(value), shown(value, dim)]);
      const unset = this.points.some((point) => point[dim.key] === null) ? [['null', 'none']] : [];
      const all = allowAll ? [['', `all ${values.length + unset.length}`]] : [];
      return chooser(dim.label, [...all, ...values, ...unset], this.selected.get(dim.key) ?? '', (value) => {
        if (value === '')
          this.selected.delete(dim.key);
        else
          this.selected.set(dim.key, value);
        changed();
      });
    });
  }
}

/** A section with a heading, a row of controls, a chart and what stands under it. */
const chartSection = (id, heading, intro, controls, frame, ...below) => element(
    'section', {id, 'aria-labelledby': `${id}-heading`}, element('h2', {id: `${id}-heading`}, heading),
    element('p', {class: 'muted'}, intro),
    element('div', {class: 'bar'}, ...controls.filter(Boolean), element('span', {class: 'space'}), ...frame.buttons),
    element('figure', {}, frame.box, ...below, frame.figures.details));

const metricChooser = (points, state, changed) => metricsOf(points).length < 2 ?
    null :
    chooser('show', metricsOf(points).map(({key, label}) => [key, label]), state.metric.key, (key) => {
      state.metric = metrics.find((metric) => metric.key === key);
      changed();
    });
