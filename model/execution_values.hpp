// All values of what an execution is made of, in the order in which their words are listed.
#pragma once

#include <array>

#include "model/execution.hpp"

namespace tilemeter {

inline constexpr std::array matrix_paths = {MatrixPath::scalar, MatrixPath::mma, MatrixPath::wgmma};
inline constexpr std::array overlaps = {Overlap::serial, Overlap::pipelined};
inline constexpr std::array schedulings = {Scheduling::grid, Scheduling::static_persistent, Scheduling::forth_and_back,
                                           Scheduling::counter};
inline constexpr std::array row_orders = {RowOrder::ascending, RowOrder::descending, RowOrder::longest_first};
inline constexpr std::array fastest_indices = {FastestIndex::blocks, FastestIndex::streams};
inline constexpr std::array tail_ways = {Tails::predicated, Tails::padded};
inline constexpr std::array maxima_places = {Maxima::all, Maxima::masked};
inline constexpr std::array turn_ways = {Turns::taken, Turns::free};

}  // namespace tilemeter
