// Splits of the keys against the memory on chip.
#pragma once

#include "tools/resolve.hpp"

namespace tilemeter {

/// Throws InputError that names --splits, its value and the most that fit, when the kernel that combines the splits
/// passes the budget: it holds a statistic of every split, whatever the tiles. Nothing where tiles were given
/// and their overflow is counted.
void refuse_splits_past_capacity(const ResolvedPoint& point);

}  // namespace tilemeter
