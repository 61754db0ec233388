// Points grouped into the lines of a chart.

const mostLines = 8;

/** The best counted point of `points`: one that fits before one that does not, then the least of the metric. */
const best = (points, metric) => {
  const rank = (point) => [metric.of(point) === null ? 2 : point.feasible ? 0 : 1, metric.of(point) ?? 0];
  return points.reduce((least, point) => {
    const [a, b] = [rank(point), rank(least)];
    return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]) ? point : least;
  });
};

/**
 * Groups points into lines along `dim`. Tile sizes never make a line of their own: the best tiling stands at each
 * place.
 */
const linesAlong = (points, dim, others, metric) => {
  const lines = new Map();
  for (const point of points) {
    if (point[dim.key] === null) continue;
    const name = keyOf(point, others);
    if (!lines.has(name)) lines.set(name, new Map());
    const places = lines.get(name);
    const place = String(point[dim.key]);
    if (!places.has(place)) places.set(place, []);
    places.get(place).push(point);
  }
  const ordered = (places) => [...places.values()]
                                  .map((candidates) => best(candidates, metric))
                                  .sort((a, b) => (a[dim.key] < b[dim.key] ? -1 : 1));
  return [...lines.values()]
      .map((places) => ordered(places))
      .map((line) => ({name: describe(line[0], others) || line[0].algorithm, line}));
};
