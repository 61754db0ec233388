// What each kernel of an algorithm asks of a GPU, added up from its own ops.
#pragma once

#include <optional>
#include <vector>

#include "model/on_chip.hpp"
#include "model/time_estimate.hpp"

namespace tilemeter {

struct Algorithm;

/// More blocks of one stream than this are not looked at one by one.
inline constexpr Count most_listed_blocks = 65536;

/// The launches of `algorithm` in order, equal neighbours as one: blocks of a stream with the tiles that they visit (of
/// kernels without tiles, with the clocks of their longest unit), the amounts of all their ops, and bytes of device
/// memory as if every tensor passed once a launch in each direction, or less where less is touched; and what the L2
/// lets through by the traffic of each launch. Nothing when a stream has more than `most_listed_blocks` blocks. Throws
/// as `count`.
std::optional<std::vector<KernelWork>> counted_kernels(const Algorithm& algorithm, const Case& point,
                                                       const Budget& budget, const Execution& execution,
                                                       const Device& device, const MachineRates& rates);

}  // namespace tilemeter
