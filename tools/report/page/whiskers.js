// Error bars: a dataset's `whiskers` are [low, high] or null for each item, along the axis of its values; `sideways`
// likewise along the other one.

const strokeWhisker = (context, [a, b], along, place) => {
  const cap = 4;
  const point = (value, offset) => (along === 'x' ? [value, place + offset] : [place + offset, value]);
  context.moveTo(...point(a, 0));
  context.lineTo(...point(b, 0));
  for (const end of [a, b]) {
    context.moveTo(...point(end, -cap));
    context.lineTo(...point(end, cap));
  }
};

const drawWhiskers = (chart, meta, ranges, along) => {
  const other = along === 'x' ? 'y' : 'x';
  const scale = chart.scales[along];
  ranges.forEach((range, index) => {
    if (range === null || !meta.data[index]) return;
    strokeWhisker(
        chart.ctx, range.map((value) => scale.getPixelForValue(value)), along,
        meta.data[index].getProps([other])[other]);
  });
};

Chart.register({
  id: 'whiskers',
  afterDatasetsDraw(chart) {
    const {ctx: context, chartArea: area} = chart;
    const main = chart.options.indexAxis === 'y' ? 'x' : 'y';
    chart.data.datasets.forEach((set, index) => {
      if (!chart.isDatasetVisible(index) || !(set.whiskers || set.sideways)) return;
      context.save();
      context.beginPath();
      context.rect(area.left, area.top, area.width, area.height);
      context.clip();
      context.beginPath();
      const meta = chart.getDatasetMeta(index);
      drawWhiskers(chart, meta, set.whiskers ?? [], main);
      drawWhiskers(chart, meta, set.sideways ?? [], main === 'x' ? 'y' : 'x');
      context.strokeStyle = set.whiskerColour;
      context.lineWidth = 1.3;
      context.stroke();
      context.restore();
    });
  }
});
