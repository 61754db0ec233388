// The figures of the charts of points, as tables and CSV have them.

const metricUnit = (metric) => (metric.key === 'seconds' ? 's' : metric.key);
const fitsText = (point) => (point.feasible ? 'yes' : 'no');

/** What bounds the traffic of a point from below: every needed input once and every output once; null where unknown. */
const lowerBound = (point, metric) =>
    (metric.key === 'seconds' ? null : integer(point.raw.compulsory?.[metric.key] ?? null));

const lineFigures = (lines, dim, metric, standard) => {
  const bounded = lines.some(({line}) => line.some((point) => lowerBound(point, metric) !== null));
  const compared = lines.some(({line}) => line.some((point) => standard(point, metric)));
  const unit = metricUnit(metric);
  return {
    columns: [
      column('line'), column(dim.label, dim.unit ?? '', true), column('fits'),
      column(metric.key === 'seconds' ? 'predicted time' : 'traffic', unit),
      ...(compared ? [column('standard attention', unit)] : []), ...(bounded ? [column('lower bound', unit)] : [])
    ],
    rows: lines.flatMap(
        ({name, line}) => line.map(
            (point) =>
                [name, point[dim.key], fitsText(point), metric.of(point),
                 ...(compared ? [standard(point, metric)?.value ?? null] : []),
                 ...(bounded ? [lowerBound(point, metric)] : [])]))
  };
};

const heatFigures = (points, metric) => ({
  columns: [
    column('block_q', 'rows'), column('block_k', 'rows'), column('fits'),
    column(metric.key === 'seconds' ? 'predicted time' : 'traffic', metricUnit(metric)), column('on chip', 'elements'),
    column('reason')
  ],
  rows: points.map(
      (point) => [point.block_q, point.block_k, fitsText(point), metric.of(point), point.peak_elements, point.reason])
});

const barFigures = (points, others, metric) => ({
  columns: [column('point'), column('tensor'), column('read', metric.key), column('write', metric.key)],
  rows: points.flatMap(
      (point) => tensorsOf([point]).map(
          (tensor) =>
              [describe(point, others) || point.algorithm, tensor,
               ...['read', 'write'].map((way) => tensorAmount(point, tensor, way, metric.key))]))
});
