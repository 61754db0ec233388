// The gradients of attention by the definition, in double precision on the GPU, and what a forward pass leaves.
#pragma once

#include <span>
#include <vector>

#include "kernels/reference.hpp"

namespace tilemeter::kernels {

/// Writes what the forward pass leaves into the operands of Role::forward, rounded to their types: O, LSE, P, and l and
/// m, the sum and the reference of the exponents. Rows without keys have O = P = l = 0, m = -infinity and LSE =
/// +infinity. Enqueued on `stream`. Throws CudaError.
void leave_forward_results(const Tensors& tensors, std::span<const Operand> operands, const Case& point, Stream stream);

/// Rows of dQ, and of dK with those of dV beside them, as reference_rows. In `rounded`, P, dS, the O of D and the
/// gradients are rounded to their types; `squares` are those of dQ and dK without D, whose part of them may cancel it.
std::vector<ReferenceRows> reference_gradients(const Tensors& tensors, std::span<const Operand> operands,
                                               const Case& point, std::span<const RowsToCheck> checked, Stream stream);

}  // namespace tilemeter::kernels
