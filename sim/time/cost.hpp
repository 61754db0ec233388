// What an op costs on each unit of an SM.
#pragma once

#include <array>

#include "model/execution.hpp"
#include "model/machine_rates.hpp"
#include "sim/op.hpp"
#include "traces/timeline.hpp"

namespace tilemeter {

/// Clocks of an SM by unit, in the order of `sm_units`; load and store are no concern of an op alone.
using UnitClocks = std::array<double, sm_unit_count>;

/// Bytes that a product moves between shared memory and the units that multiply. wgmma: B, and A where it lies in
/// shared memory, once for every 64 rows. mma.sync: B once for every two 16-row pieces of a warp, A once. The scalar
/// path keeps its operands in registers as long as it can and is not charged.
Bytes operand_bytes(const Product& product, const Execution& execution);

/// What `op` takes of each unit without the others: products, exponentials, scalars, and shared memory for operands
/// and, with `arrives` in shared memory, for what a load brings.
UnitClocks clocks_of(const Op& op, const Execution& execution, const MachineRates& rates, Space arrives);

/// Clocks that the matrix path loses to the scalar work of `clocks` beside it, and the scalar pipes to its products.
UnitClocks lost_clocks(const UnitClocks& clocks, const MachineRates& rates);

/// Integer time, rounded up.
Picoseconds to_picoseconds(double clocks, const MachineRates& rates);

}  // namespace tilemeter
