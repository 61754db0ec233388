// The blocks that each kernel of an algorithm launches, by how many tiles they visit: in closed form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/block_schedule.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// One kernel launch. `blocks` is absent where no formula states them; the tiles of a block are then unknown.
struct KernelLaunch {
  std::string kernel;
  Count times = 1;  ///< equal launches that follow each other
  std::optional<LaunchBlocks> blocks{};
};

/// The launches of the whole of `point`, in order. Work is counted in visited tiles; of kernels without tiles a block
/// is
/// 1. Blocks are stated for flash1, flash2, flash3, zigzag, split_kv, gemm and standard_tiled; other algorithms have
/// their number of kernels only. Of more than 2^16 row blocks, neighbours are taken together at their mean. Throws
/// FigureOverflow.
std::vector<KernelLaunch> kernel_launches(std::string_view algorithm, const Case& point);

}  // namespace tilemeter
