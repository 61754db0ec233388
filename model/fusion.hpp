// What fusing elementwise kernels saves, and what a softmax over memory moves.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "model/problem.hpp"

namespace tilemeter {

/// Elementwise operations one after the other on `length` elements; `side` holds the elements of each operation's other
/// input (0 for none), one entry an operation.
struct Chain {
  Count length = 0;
  std::vector<Count> side;
};

/// Elements read and written.
struct Moved {
  Elements read;
  Elements write;
  Elements total() const { return read + write; }
};

/// A kernel for each of the k operations: reads k n + the side inputs, writes k n. Throws FigureOverflow.
Moved unfused(const Chain& chain);
/// One kernel for all of them: reads n + the side inputs, writes n. The ratio of the two is k only without side inputs.
Moved fused(const Chain& chain);

/// The softmax of a row in memory, by how often it passes over the row: the variants of the algorithm `softmax`.
inline constexpr std::array softmax_variants = {Variant::naive, Variant::safe, Variant::online, Variant::resident};

/// "safe, 3 passes".
std::string_view softmax_label(Variant variant);

/// What the closed form of `softmax` says of one row of `length` elements. Throws FigureOverflow.
Moved softmax_moves(Variant variant, Count length);

/// FLOPs that a softmax is credited with for one element: subtract the maximum, exponential, sum, divide, and the
/// comparison.
inline constexpr Count softmax_flops_per_element = 5;

}  // namespace tilemeter
