// From an algorithm to its programs: the sink that keeps what blocks do, in order, with their loops.
#pragma once

#include "model/closed_form/formula.hpp"
#include "model/on_chip.hpp"
#include "sim/time/program.hpp"

namespace tilemeter {

struct Algorithm;

/// Runs `algorithm` on tiles without numbers and keeps its launches. Memory grows with the number of distinct blocks
/// and of row blocks, not with the number of tiles. Throws as `count`.
Recording record(const Algorithm& algorithm, const Case& point, const Budget& budget);

}  // namespace tilemeter
