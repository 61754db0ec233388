// The head of the page: what was run, and the verdict.

const verdictOf = (points) => {
  const counted = points.filter((point) => point.elements);
  const wrong = counted.filter((point) => point.equal === false).length;
  const unchecked = counted.filter((point) => point.equal === null).length;
  const checked = counted.length - unchecked;
  if (wrong > 0)
    return [
      'bad',
      `${plural(counted.length, 'point')} counted, ${grouped(BigInt(wrong))} of them NOT equal to ${
          wrong === 1 ? 'its' : 'their'} closed form`
    ];
  if (counted.length === 0) return ['warn', 'No point was counted'];
  if (unchecked === 0)
    return [
      'good',
      counted.length === 1 ? '1 point counted, equal to its closed form' :
                             `${plural(counted.length, 'point')} counted, all equal to their closed form`
    ];
  return [
    'warn',
    `${plural(counted.length, 'point')} counted; ${grouped(BigInt(checked))} equal to their closed form, ${
        grouped(BigInt(unchecked))} without one to compare with`
  ];
};

const infeasibleText = (points) => {
  const unfit = points.filter((point) => !point.feasible);
  const counted = unfit.filter((point) => point.elements).length;
  if (unfit.length === 0) return null;
  const how = counted === 0    ? 'not counted' :
      counted === unfit.length ? 'counted all the same' :
                                 `${grouped(BigInt(counted))} of them counted all the same`;
  if (unfit.length < points.length)
    return `${plural(unfit.length, 'point')} of ${grouped(BigInt(points.length))} ${
        unfit.length === 1 ? 'does' : 'do'} not fit the budget (${how}).`;
  const reason = unfit.find((point) => point.reason)?.reason;
  return `No point is feasible: none of the ${plural(unfit.length, 'point')} fits its budget (${how}).${
      reason ? ` The first: ${reason}` : ''}`;
};

const fact = (name, value) => element('div', {}, element('dt', {}, name), element('dd', {}, value));

/** Dimensions with one value over all points, and the range of the others. */
const dimensionFacts = (points) =>
    dimensions
        .map((dim) => {
          const values = valuesOf(points, dim);
          if (dim.merged || values.length === 0) return null;
          const name = dim.label + (dim.key === 'sram_elements' ? ' (elements)' : '');
          if (values.length <= 4) return fact(name, values.map((value) => shown(value, dim)).join(', '));
          return fact(
              name,
              dim.numeric ? `${shown(values[0], dim)} to ${shown(values.at(-1), dim)} (${values.length} values)` :
                            `${values.length} values`);
        })
        .filter(Boolean);

/** Fills `place` with the facts of the run and the verdict. */
const showSummary = (place, report, points) => {
  if (report.rows) {
    place.append(element(
        'dl', {class: 'facts', id: 'run'}, fact('view', report.view ?? ''), fact('rows', grouped(BigInt(report.rows.length)))));
    return;
  }
  const feasible = points.filter((point) => point.feasible).length;
  const [kind, verdict] = verdictOf(points);
  const infeasible = infeasibleText(points);
  const counts = points.length < 2 ? [] : [
    fact('points', grouped(BigInt(points.length))), fact('feasible', grouped(BigInt(feasible))),
    fact('infeasible', grouped(BigInt(points.length - feasible)))
  ];
  place.append(
      element('dl', {class: 'facts', id: 'settings'}, ...counts, ...dimensionFacts(points)),
      element('p', {class: `verdict ${kind}`, id: 'verdict', role: 'status'}, verdict));
  if (infeasible)
    place.append(element('p', {class: `verdict ${feasible === 0 ? 'bad' : 'warn'}`, id: 'infeasible'}, infeasible));
};
