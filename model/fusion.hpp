// What fusing elementwise kernels saves, and what a softmax over memory moves.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "model/units.hpp"

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

/// How a softmax of a row in memory is computed.
enum class SoftmaxPasses { naive, safe, online, resident };
inline constexpr std::array softmax_passes = {SoftmaxPasses::naive, SoftmaxPasses::safe, SoftmaxPasses::online,
                                              SoftmaxPasses::resident};
std::string_view name_of(SoftmaxPasses passes);

/// Softmax over `length` elements: naive 2 loads and 1 store an element, safe 3 and 1, online 2 and 1, resident 1
/// and 1.
Moved softmax_moves(SoftmaxPasses passes, Count length);
/// Exponentials: naive and safe 2 an element, resident 1, online 3 length - 1 as the listing has them (a rescale factor
/// at every element but the first). Milakov and Gimelshein, 2018.
Count softmax_exponentials(SoftmaxPasses passes, Count length);

/// FLOPs that a softmax is credited with for one element: subtract the maximum, exponential, sum, divide, and the
/// comparison.
inline constexpr Count softmax_flops_per_element = 5;

}  // namespace tilemeter
