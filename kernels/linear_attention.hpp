// Attention without a softmax in both orders of its products: the mirror of the simulator's `linear_attention`.
#pragma once

#include <array>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// Rows of a chunk (Options::chunk).
inline constexpr Count linear_chunk = 64;

/// A tiling of linear_attention; `stages` chunks of K and V, then of Q, are in shared memory at once. A thread block
/// takes a whole stream, as the simulator's does, so that K, V and Q are read once. Shared memory beyond a chunk of
/// each is the rest of the ring, the state at the operands' type, and rows of O on their way to memory.
constexpr KernelTiling linear_attention_tiling(Count head_dim) {
  constexpr Count stages = 3, element = 2;
  const Count tile = linear_chunk * head_dim * element, state = head_dim * head_dim * element;
  const Count summing = 2 * stages * tile, applying = state + (stages + 1) * tile;
  const Count shared = summing > applying ? summing : applying;
  return {.head_dim = head_dim,
          .head_dim_v = head_dim,
          .stages = 0,
          .threads = 256,
          .shared = Bytes(shared),
          .padding = Bytes(shared - 3 * tile)};
}

/// The tilings that are compiled.
inline constexpr std::array linear_attention_tilings = {linear_attention_tiling(64), linear_attention_tiling(128)};

/// Keys of the longest stream whose K, or V, stays in shared memory while the scores pass.
constexpr Count most_keys_of_scores(Count head_dim) { return head_dim == 64 ? 1408 : 640; }

/// As Kernel::launch and Kernel::count.
void launch_linear_attention(const Tensors& tensors, const Case& point, Stream stream);
Work count_linear_attention(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
