// FlashAttention-3 forward on Hopper's tensor cores (wgmma, sm_90a): the mirror of the simulator's `flash3`.
#pragma once

#include <algorithm>
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

/// Shared memory is the query tile, the stages of K and V tiles, further buffers for query tiles, and barriers. O
/// leaves by way of the query tile, but with operands of 8 bits, as it has 16, from a place of its own.
constexpr Flash3Build flash3_build(Count head_dim, Count block_q, Count block_k, Count stages, Flash3Choices choices,
                                   DType type = DType::fp16) {
  const Count consumers = block_q / 64, element = size_of(type);
  const Count tiles = (block_q + 2 * stages * block_k) * head_dim * element;
  const Count output = element == 1 ? block_q * head_dim * size_of(DType::bf16) : 0;
  const Count padding = Flash3Layout::alignment + (choices.q_buffers - 1) * block_q * head_dim * element + output +
                        Flash3Layout::barriers(consumers, stages, choices.q_buffers);
  return {.tiling = {.block_q = block_q,
                     .block_k = block_k,
                     .head_dim = head_dim,
                     .head_dim_v = head_dim,
                     .stages = stages,
                     .threads = 128 * (1 + consumers),
                     .shared = Bytes(tiles + padding),
                     .padding = Bytes(padding),
                     .architecture = Architecture::hopper,
                     .element_size = element},
          .choices = choices};
}

inline constexpr std::array flash3_builds = {
    flash3_build(64, 192, 128, 2, {.q_buffers = 2}),
    flash3_build(128, 128, 128, 2, {.q_buffers = 2}),
    flash3_build(256, 128, 80, 2, {}),
};

/// Of operands in fp8.
inline constexpr std::array flash3_fp8_builds = {
    flash3_build(64, 192, 128, 2, {.q_buffers = 2}, DType::fp8),
    flash3_build(128, 192, 128, 2, {.overlap = false, .q_buffers = 2}, DType::fp8),
    flash3_build(256, 128, 128, 2, {}, DType::fp8),
};

template <std::size_t Size>
constexpr std::array<KernelTiling, Size> tilings_of(const std::array<Flash3Build, Size>& builds) {
  std::array<KernelTiling, Size> tilings;
  for (std::size_t i = 0; i < Size; ++i) tilings[i] = builds[i].tiling;
  return tilings;
}

/// The tilings that are compiled, in the order of their builds.
inline constexpr auto flash3_half_tilings = tilings_of(flash3_builds);
inline constexpr auto flash3_fp8_tilings = tilings_of(flash3_fp8_builds);
inline constexpr auto flash3_tilings = [] {
  std::array<KernelTiling, flash3_half_tilings.size() + flash3_fp8_tilings.size()> tilings;
  const auto fp8 = std::copy(flash3_half_tilings.begin(), flash3_half_tilings.end(), tilings.begin());
  std::copy(flash3_fp8_tilings.begin(), flash3_fp8_tilings.end(), fp8);
  return tilings;
}();

/// As Kernel::refusal.
std::optional<std::string> refusal_of_flash3(const Case& point);

/// As Kernel::launch and Kernel::count. Throw std::runtime_error on a GPU that is not sm_90.
void launch_flash3(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash3(const Tensors& tensors, const Case& point, Stream stream);

/// The same where the operands are fp8: what the former call then.
void launch_flash3_fp8(const Tensors& tensors, const Case& point, Stream stream);
Work count_flash3_fp8(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
