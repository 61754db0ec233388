// What stands under a roofline: the roofs of a device for one type, and the operations as marks.

/** The roofs by device name: those of the document, then those of shipped devices that its points name. */
const roofsOf = (report) => {
  const shipped = JSON.parse(document.getElementById('roofs').textContent);
  return new Map([...shipped, ...(report.devices ?? [])].map((device) => [device.name, device]));
};

const ratio = (flops, bytes) => (flops && bytes ? Number(flops) / Number(bytes) : null);

/** One operation: FLOPs, compulsory bytes at device memory, bytes at the SM edge (null where not known). */
const markOf = (name, device, math, flops, hbm, edge, measured) => ({
  name,
  device,
  math,
  flops,
  hbm,
  edge,
  measured: measured ?? null,
  hbmIntensity: ratio(flops, hbm),
  edgeIntensity: ratio(flops, edge),
});

const pointMark = (point, swept) => markOf(
    describe(point, swept) || point.algorithm, point.device, point.raw.roofline?.math_dtype ?? point.dtype,
    integer(point.raw.operations?.matmul_flops), integer(point.raw.compulsory?.bytes), point.bytes?.total ?? null,
    point.raw.roofline?.measured_flop_per_second);

const rowMark = (row, view) => markOf(
    row.kernel ?? view.replaceAll('-', ' '), row.device, row.math_dtype, integer(row.flops), integer(row.hbm_bytes),
    integer(row.packed_bytes ?? null), row.measured_flop_per_second);

/** Every operation of the document that ran on a device whose roofs are known. */
const marksOf = (report, points, roofs) => {
  const swept = sweptDimensions(points).filter(({key}) => key !== 'device');
  const counted = points.filter((point) => point.bytes).map((point) => pointMark(point, swept));
  const rows = (report.rows ?? []).filter(({flops}) => flops !== undefined).map((row) => rowMark(row, report.view));
  return [...counted, ...rows].filter(({device}) => roofs.has(device));
};

/** The roofs of `device` for arithmetic in `math`: peak and, for each level, bandwidth and ridge; null when unknown. */
const rooflineOf = (device, math) => {
  const peak = Number(device.peaks[math]?.flop_per_second ?? 0);
  if (!(peak > 0)) return null;
  const levels = device.levels.map(
      ({level, bytes_per_second: rate}) => ({level, bandwidth: Number(rate), ridge: peak / Number(rate)}));
  return {peak, unit: device.peaks[math].unit ?? 'unknown unit', levels, share: device.sustained_share ?? null};
};

const bandwidthText = (value) => `${Number((value / 1e12).toPrecision(4))} TB/s`;
const intensityText = (value) => `${Number(value.toPrecision(4))} FLOP/B`;
const flopRateText = (value) => `${decimal(value)}FLOP/s`;
const levelName = (level) => (level === 'hbm' ? 'device memory' : 'L2');

/** What the roof of a level allows at an intensity. */
const allowed = (roofline, level, intensity) => Math.min(roofline.peak, intensity * level.bandwidth);

/** What all known levels together leave to a mark, in FLOP/s; null where nothing bounds it. */
const attainableOf = (mark, roofline) => {
  const bounds = roofline.levels.map((level) => [level, level.level === 'l2' ? mark.edgeIntensity : mark.hbmIntensity])
                     .filter(([, intensity]) => intensity !== null)
                     .map(([level, intensity]) => allowed(roofline, level, intensity));
  return bounds.length > 0 ? Math.min(...bounds) : null;
};

/** Compulsory bytes stand under device memory; bytes at the SM edge under the L2, or under device memory when the L2's
 * bandwidth is unknown: as if no access hit the L2. */
const edgeLevel = (roofline) => roofline.levels.find(({level}) => level === 'l2') ?? roofline.levels[0];
