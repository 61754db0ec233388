// A layer Y = X W on Hopper's tensor cores, for few tokens: mirrors of the simulator's `weight_layer` with weights in
// bf16 and in int8.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// The fixed parts of a block's shared memory, in bytes, and of its threads.
struct WeightLayout {
  static constexpr Count alignment = 1024;  ///< at most lost in front
  static constexpr Count barriers = 16;     ///< of a stage
  static constexpr Count most_splits = 8;   ///< blocks of a cluster

  static constexpr Count threads(Count consumers) { return 128 * (1 + consumers); }
  static constexpr Count stage(const KernelTiling& t, DType weight) {
    return t.block_k * (t.block_m * size_of(DType::bf16) + t.block_n * size_of(weight));
  }
  static constexpr Count shared(const KernelTiling& t, DType weight) {
    return alignment + t.stages * (stage(t, weight) + barriers);
  }
};

/// A tiling of tokens x features x a step along d_in, with so many consumer warpgroups. The algorithm's block declares
/// one tile of X and one of W; the further stages, barriers and alignment are padding, and so are the scales of groups.
constexpr KernelTiling weight_tiling(DType weight, Count consumers, Count tokens, Count features, Count step,
                                     Count stages) {
  KernelTiling tiling = {.block_k = step,
                         .block_m = tokens,
                         .block_n = features,
                         .stages = stages,
                         .threads = WeightLayout::threads(consumers),
                         .shared = Bytes(0),
                         .padding = Bytes(0),
                         .architecture = Architecture::hopper};
  const Count shared = WeightLayout::shared(tiling, weight);
  tiling.shared = Bytes(shared);
  tiling.padding = Bytes(shared - WeightLayout::stage(tiling, weight));
  return tiling;
}

/// The tilings that are compiled, by tokens. From 224 tokens on a block has registers for 128 features only. Four
/// consumers dequantise int8 while others multiply.
inline constexpr std::array weight_layer_tilings = {
    weight_tiling(DType::bf16, 2, 64, 256, 64, 5),  weight_tiling(DType::bf16, 2, 128, 256, 64, 4),
    weight_tiling(DType::bf16, 2, 160, 256, 64, 4), weight_tiling(DType::bf16, 2, 192, 256, 64, 4),
    weight_tiling(DType::bf16, 2, 224, 128, 64, 5), weight_tiling(DType::bf16, 2, 256, 128, 64, 4)};
inline constexpr std::array weight_layer_int8_tilings = {weight_tiling(DType::int8, 4, 16, 256, 128, 5),
                                                         weight_tiling(DType::int8, 4, 64, 256, 128, 4),
                                                         weight_tiling(DType::int8, 4, 128, 256, 128, 3)};

/// The tiling with the fewest tiles of tokens, for each of which the weights are read, and of those the narrowest.
const KernelTiling& preferred_weight_tiling(std::span<const KernelTiling> tilings, const Shapes& shapes);

/// How d_in is dealt to the blocks of a cluster: so many blocks, each so many steps, the last ones perhaps fewer.
struct WeightSplit {
  Count splits;
  Count steps;
};

/// As many blocks a tile of Y as keep `sms` multiprocessors busiest. A block takes whole groups of scales.
WeightSplit weight_split(const Case& point, Count sms);

/// Why the kernels cannot run sizes that their tilings allow: rows of X, W and Y must be multiples of 16 bytes,
/// coordinates fit in 32 bits, and groups of scales be made of whole steps or steps of whole groups.
std::optional<std::string> refusal_of_weight_layer(const Case& point);
std::optional<std::string> refusal_of_weight_layer_int8(const Case& point);

/// As Kernel::launch and Kernel::count. Throw std::runtime_error on a GPU that is not sm_90.
void launch_weight_layer(const Tensors& tensors, const Case& point, Stream stream);
Work count_weight_layer(const Tensors& tensors, const Case& point, Stream stream);
void launch_weight_layer_int8(const Tensors& tensors, const Case& point, Stream stream);
Work count_weight_layer_int8(const Tensors& tensors, const Case& point, Stream stream);

}  // namespace tilemeter::kernels
