// Traffic by tensor: one bar a point, reads and writes of each tensor stacked. For results too few to draw a line.

const mostBars = 24;

/** The height of a chart with so many bars, one below the other. */
const barHeight = (count) => `${Math.max(12, 8 + (innerWidth < 600 ? 4.6 : 2.6) * count)}rem`;

/** Names of the tensors that any of the points moves, in the order of the data. */
const tensorsOf = (points) => [...new Set(points.flatMap((point) => Object.keys(point.raw.traffic?.tensors ?? {})))];

const tensorAmount = (point, tensor, way, unit) =>
    integer(point.raw.traffic?.tensors?.[tensor]?.[`${way}_${unit}`]) ?? 0n;

/** The Chart.js configuration of the bars of `points`; `unit` is elements or bytes. */
const barConfiguration = (points, others, metric) => {
  const colours = theme();
  const unit = metric.key === 'bytes' ? 'bytes' : 'elements';
  const labels = points.map((point) => barLabel(describe(point, others) || point.algorithm));
  const datasets = tensorsOf(points)
                       .flatMap((tensor, index) => ['read', 'write'].map((way) => {
                         const colour = colours.series[index % colours.series.length];
                         const amounts = points.map((point) => tensorAmount(point, tensor, way, unit));
                         return {
                           label: `${tensor} ${way}`,
                           kind: 'bars',
                           stack: 'traffic',
                           amounts,
                           data: amounts.map(Number),
                           borderColor: colour,
                           borderWidth: 1,
                           maxBarThickness: 44,
                           backgroundColor: way === 'read' ? colour : hatch(colours.surface, colour)
                         };
                       }))
                       .filter(({amounts}) => amounts.some((amount) => amount > 0n));
  const options = baseOptions(colours);
  options.indexAxis = 'y';
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.labels.usePointStyle = false;
  options.plugins.tooltip.callbacks = {
    label: ({dataset, dataIndex}) => [dataset.label, metric.text(dataset.amounts[dataIndex])],
    footer: ([item]) => (item ? pointFooter(points[item.dataIndex]) : []),
  };
  options.scales = {
    x: {
      ...axis(colours, metric.title, {ticks: {callback: metric.tick, maxRotation: 0}}),
      stacked: true,
      beginAtZero: true
    },
    y: {...nameAxis(colours), stacked: true},
  };
  return {type: 'bar', data: {labels, datasets}, options};
};
