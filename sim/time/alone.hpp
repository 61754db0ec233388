// What a block takes with a GPU to itself.
#pragma once

#include <vector>

#include "model/machine_rates.hpp"
#include "sim/time/program.hpp"

namespace tilemeter {

/// Clocks of the longest block of each launch of `recording` on an idle GPU, from its start to the end of its last
/// store. Of a block of more than some 10,000 ops the loops are cut short, and the rest is taken to go on as they did.
/// Throws InputError when a block does not fit an SM.
std::vector<double> clocks_alone(const Recording& recording, const Execution& execution, const Device& device,
                                 const MachineRates& rates);

}  // namespace tilemeter
