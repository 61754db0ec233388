// FlashAttention-3 forward on Hopper's tensor cores (wgmma, sm_90a): the mirror of the simulator's `flash3`.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// How a thread block goes about its tiles: what the rungs of the ladder differ in (kernels/README.md).
struct Flash3Choices {
  bool overlap = true;       ///< S of the next key tile is multiplied before this one is accumulated, under whose
                             ///< product the softmax runs; otherwise one after the other
  bool ping_pong = true;     ///< the warpgroups of a block take turns at issuing products
  bool persistent = true;    ///< a block an SM takes tile after tile; otherwise a block a tile
  bool by_reference = true;  ///< exponents keep the reference of earlier tiles, and maxima are looked for only where
                             ///< sums show it to be too low; otherwise in every tile
  int q_buffers = 1;         ///< with 2, the next query tile arrives while this one is worked on
  int cluster = 1;           ///< blocks of a cluster, with neighbouring query tiles: each fetches a part of K and V for
                             ///< all of them; only without a mask and with full clusters
  friend bool operator==(const Flash3Choices&, const Flash3Choices&) = default;
};

struct Flash3Build {
  KernelTiling tiling;
  Flash3Choices choices;
};

/// The parts of a block's shared memory, in bytes.
struct Flash3Layout {
  static constexpr Count alignment = 1024;  ///< at most lost in front
  static constexpr Count barriers(Count consumers, Count stages, Count q_buffers) {
    return 16 * (2 * stages + consumers * q_buffers);
  }
};

/// Shared memory is the query tile, the stages of K and V tiles, further buffers for query tiles, and barriers.
constexpr Flash3Build flash3_build(Count head_dim, Count block_q, Count block_k, Count stages, Flash3Choices choices) {
  const Count consumers = block_q / 64;
  const Count tiles = (block_q + 2 * stages * block_k) * head_dim * size_of(DType::fp16);
  const Count padding = Flash3Layout::alignment + (choices.q_buffers - 1) * block_q * head_dim * size_of(DType::fp16) +
                        Flash3Layout::barriers(consumers, stages, choices.q_buffers);
  return {.tiling = {.block_q = block_q,
                     .block_k = block_k,
                     .head_dim = head_dim,
                     .head_dim_v = head_dim,
                     .stages = stages,
                     .threads = 128 * (1 + consumers),
                     .shared = Bytes(tiles + padding),
                     .padding = Bytes(padding),
                     .architecture = Architecture::hopper},
          .choices = choices};
}

inline constexpr std::array flash3_builds = {
    flash3_build(64, 192, 128, 2, {.q_buffers = 2}),
    flash3_build(128, 128, 128, 2, {.q_buffers = 2}),
    flash3_build(256, 128, 80, 2, {}),
};

/// The tilings that are compiled, in the order of their builds.
inline constexpr auto flash3_tilings = [] {
  std::array<KernelTiling, flash3_builds.size()> tilings;
  for (std::size_t i = 0; i < tilings.size(); ++i) tilings[i] = flash3_builds[i].tiling;
  return tilings;
}();

/// As Kernel::refusal.
std::optional<std::string> refusal_of_flash3(const Case& point);

/// As Kernel::launch and Kernel::count. Throw std::runtime_error on a GPU that is not sm_90.
void launch_flash3(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash3(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
