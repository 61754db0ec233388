// The SMs of a simulation: how busy each of their units is, and what the blocks of each wait for.

const busyUnits = ({raw}) => [...new Set(raw.sms.flatMap((sm) => Object.keys(sm.busy_seconds)))];
const busyShare = (sm, unit) => (sm.resident_seconds > 0 ? (sm.busy_seconds[unit] ?? 0) / sm.resident_seconds : 0);

const meanBusy = (point, unit) =>
    point.raw.sms.reduce((sum, sm) => sum + busyShare(sm, unit), 0) / Math.max(1, point.raw.sms.length);

/** A cell for each unit of each SM, coloured by the share of the time that it is busy. */
const utilisationConfiguration = (point) => {
  const colours = theme();
  const units = busyUnits(point);
  const data = point.raw.sms.flatMap((sm) => units.map((unit) => {
    const busy = busyShare(sm, unit);
    return {
      x: String(sm.index),
      y: unit,
      busy,
      look: {fills: [heat(busy)], text: '', ink: busy > 0.55 ? '#10151c' : '#ffffff', isMinimum: false}
    };
  }));
  const options = baseOptions(colours);
  options.interaction = {mode: 'nearest', intersect: true};
  options.plugins.legend.display = false;
  options.plugins.tooltip.callbacks = {
    title: ([item]) => (item ? `SM ${item.raw.x}` : ''),
    label: ({raw}) => `${waitText(raw.y)}: busy ${share(raw.busy)} of the time`
  };
  const side = (title, labels, text) => ({
    type: 'category',
    labels,
    offset: true,
    ...axis(colours, title, {grid: {display: false}, ticks: {maxRotation: 0, autoSkipPadding: 10, callback: text}})
  });
  const names = units.map(waitText);
  options.scales = {
    x: side('SM', point.raw.sms.map(({index}) => String(index)), (place) => String(point.raw.sms[place].index)),
    y: side('', units, (place) => names[place])
  };
  options.scales.y.title.display = false;
  return {type: 'heatMap', data: {datasets: [{kind: 'busy', label: 'busy', data}]}, options};
};

const utilisationFigures = (point) => {
  const units = busyUnits(point);
  return {
    columns: [
      column('SM', '', true), column('blocks', '', true), column('read', 'bytes'), column('written', 'bytes'),
      column('on chip', 'bytes'), ...units.map((unit) => column(`${waitText(unit)} busy`, '%'))
    ],
    rows: point.raw.sms.map(
        (sm) =>
            [integer(sm.index), integer(sm.blocks), integer(sm.read_bytes), integer(sm.write_bytes),
             integer(sm.peak_bytes), ...units.map((unit) => 100 * busyShare(sm, unit))])
  };
};

/** The waits of an SM as shares of the time that blocks are resident on it. */
const smWaits = (sm) => {
  const waits = Object.entries(sm.wait_seconds).map(([cause, seconds]) => [cause, seconds]);
  const whole = sm.working_seconds + waits.reduce((sum, [, seconds]) => sum + seconds, 0);
  const shareOf = (seconds) => (whole > 0 ? seconds / whole : 0);
  return {
    working: shareOf(sm.working_seconds),
    ...Object.fromEntries(waits.map(([cause, seconds]) => [cause, shareOf(seconds)]))
  };
};

const busiest = (point) => {
  const units = busyUnits(point).map((unit) => [unit, meanBusy(point, unit)]).sort((a, b) => b[1] - a[1]);
  return units.slice(0, 2).map(([unit, busy]) => `${waitText(unit)} ${share(busy)}`).join(', ');
};

const busyScale = () => {
  const bar = element('span', {class: 'scale', 'aria-hidden': 'true'});
  bar.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(heat).join(', ')})`;
  return element('ul', {class: 'key'}, element('li', {}, 'idle', bar, 'always busy'));
};

/** Timelines are in another file, which the same command writes. */
const traceHint = element(
    'p', {class: 'muted'},
    'For the timeline of every tile: ', element('code', {}, 'tilemeter simulate ... --trace FILE'), ', then ',
    element('code', {}, 'tilemeter report FILE'), '.');

const smSections = (points, swept) => {
  const simulated = points.filter(({raw}) => Array.isArray(raw.sms) && raw.sms.length > 0);
  if (simulated.length === 0) return [];
  const labels = (point) => point.raw.sms.map(({index}) => String(index));
  const utilisation = pointwiseSection(
      'utilisation', 'How busy each SM is', 'Busy time of each unit over the time that blocks are resident on the SM.',
      simulated, swept, utilisationConfiguration,
      (point) => `${plural(point.raw.sms.length, 'SM')}; busiest on average: ${busiest(point)}.`, utilisationFigures,
      '19rem');
  utilisation.section.querySelector('figure').insertBefore(busyScale(), utilisation.section.querySelector('details'));
  const waits = pointwiseSection(
      'sm-waits', 'What the blocks of each SM wait for', 'One bar an SM, working and waiting stacked.', simulated,
      swept, (point) => waitConfiguration(point.raw.sms.map(smWaits), labels(point), 'x'),
      (point) => largestWait(point.raw.waits ?? smWaits(point.raw.sms[0])),
      (point) => waitFigures(point.raw.sms.map(smWaits), labels(point), 'SM'));
  waits.section.append(traceHint);
  return [utilisation, waits];
};
