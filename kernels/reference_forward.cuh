// The forward pass in double precision for all rows, as the gradients need it.
#pragma once

#include "kernels/reference_view.cuh"

namespace tilemeter::kernels {

/// Where the forward pass puts what; nowhere where `data` is null.
struct ForwardResults {
  TypedMemory o{}, lse{}, l{}, m{}, p{};
  TypedMemory d_o{};    ///< is read for d
  double* d = nullptr;  ///< rowsum(dO o O)
};

/// Rows of V that the forward pass takes at most.
inline constexpr Count widest_reference_v = 256;

/// Enqueues it. Throws InputError where V is wider than widest_reference_v, CudaError when the launch fails.
void launch_forward(const AttentionView& view, const ForwardResults& to, const Problem& problem, Stream stream);

}  // namespace tilemeter::kernels
