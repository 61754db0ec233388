// What a computation asks of every part of the GPU beside device memory: operations by pipe, bytes of shared memory and
// bytes across the edge of the SMs.
#pragma once

#include <string_view>

#include "model/execution.hpp"
#include "model/work.hpp"

namespace tilemeter {

struct UnitAmounts {
  Flops products{};    ///< of the matrix path
  Count exp = 0;       ///< exponentials
  Count fma = 0;       ///< multiply-adds, multiplications and additions of single numbers
  Count alu = 0;       ///< maxima and conversions
  Bytes shared{};      ///< read by products, and written by loads
  Bytes edge_read{};   ///< across the edge of the SMs
  Bytes edge_write{};  ///< ...

  friend bool operator==(const UnitAmounts&, const UnitAmounts&) = default;
};

/// How often a product of `rows` rows reads B from shared memory: for every 64 rows of wgmma, every 32 rows of a warp
/// of mma.sync. `rows` is at least 1.
Count reads_of_b(Count rows, const Execution& execution);
/// Rows of A that it reads: whole instructions of wgmma.
Count rows_of_a(Count rows, const Execution& execution);

/// Adds `other` to `sum`. Throws UnnamedOverflow.
void add(UnitAmounts& sum, const UnitAmounts& other);

/// One key tile of `keys` rows against one query tile of `rows` rows in a streaming forward pass: S = Q K^T, online
/// softmax, O = O + P V with P in registers. A score takes two multiply-adds, a maximum, half a conversion and an
/// exponential, an element of O one multiplication. wgmma reads B, and A where it is in shared memory, for every 64
/// rows; mma.sync A once and B for every 32 rows of a warp. K and V arrive through shared memory. 128 x 128, d = 128,
/// bf16, wgmma: 229,376 B of shared memory, 1792 clocks at 128 B each.
UnitAmounts step_amounts(const Problem& problem, Count rows, Count keys, const Execution& execution);

/// The whole of `point`, whose bill is `work`, in closed form. Exact in products, exponentials and bytes at the edge.
/// Scalars are those of `step_amounts` for forward attention, with the division of O by l where that comes last, 3
/// multiply-adds and a conversion a score for its gradients, one operation an element and step for chains, a conversion
/// and a multiplication for weights that are not bf16. Shared memory is that of whole tiles, ragged ones by their
/// share; without tiles of queries and keys a product reads its operands for every 64 rows and columns. Throws
/// FigureOverflow.
UnitAmounts unit_amounts(std::string_view algorithm, const Case& point, const Work& work, const Execution& execution);

}  // namespace tilemeter
