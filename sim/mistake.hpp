// What a mistake made on purpose must give, and whether a run gave it.
#pragma once

#include "sim/reference.hpp"
#include "sim/run.hpp"

namespace tilemeter {

/// The mistake of `options`, if `algorithm` takes --unsafe.
Mistake mistake_of(const Algorithm& algorithm, const Options& options);

/// Rows of O that become NaN, over all streams: by closed form, in O(query tiles). None without a missing guard.
Count predicted_nan_rows(const Algorithm& algorithm, const Case& point);

/// O and LSE in double precision as the mistake leaves them: NaN in the rows that an unguarded softmax loses; without
/// rescaling, the sums over tiles of exp(s - m) with the maximum m of each tile's time.
Values mistaken_outputs(const Algorithm& algorithm, const Case& point, const Values& inputs);

/// Errors against the right answer, over the rows that are not NaN; `ok` when the damage is the predicted one: as many
/// NaN rows, the same ones, and in all others the numbers of mistaken_outputs.
NumericCheck check_mistake(const Algorithm& algorithm, const Case& point, const Values& inputs, const Values& outputs);

}  // namespace tilemeter
