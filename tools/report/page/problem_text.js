// A problem of the JSON in one short line: "N 4096, d 128, B 4, H 16, bf16, causal".

const problemText = (problem) => {
  const {seq_q: queries, seq_k: keys, head_dim: dim, head_dim_v: dimV, batch, heads, kv_heads: kvHeads, mask, dtype} =
      problem;
  const shape = shapeKeys.filter((key) => problem[key] !== undefined && problem[key] !== null)
                    .map((key) => `${key} ${problem[key]}`);
  const lengths = queries === undefined ? [] :
      String(queries) === String(keys)  ? [`N ${queries}`] :
                                          [`N_q ${queries}`, `N_k ${keys}`];
  const many = (name, value) =>
      (value !== undefined && value !== null && String(value) !== '1' ? [`${name} ${value}`] : []);
  return [
    ...lengths, ...(dim === undefined ? [] : [`d ${dim}${String(dim) === String(dimV) ? '' : ` and ${dimV}`}`]),
    ...many('B', batch), ...many('H', heads), ...(String(heads) === String(kvHeads) ? [] : many('H_kv', kvHeads)),
    ...shape, dtype, mask === 'none' ? null : mask
  ].filter(Boolean)
      .join(', ');
};
