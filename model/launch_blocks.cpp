#include "model/launch_blocks.hpp"

#include <algorithm>
#include <array>

#include "model/closed_form/catalog.hpp"
#include "model/geometry.hpp"
#include "model/launch_grid.hpp"
#include "model/split_heuristic.hpp"

namespace tilemeter {
namespace {

constexpr Count most_runs = 65536;

/// Adds a block, to the run before when it is alike.
void append(std::vector<BlockRun>& runs, Count blocks, double work) {
  if (!runs.empty() && runs.back().work == work) {
    runs.back().blocks = checked::add(runs.back().blocks, blocks);
  } else {
    runs.push_back({.blocks = blocks, .work = work});
  }
}

/// A block for each query tile of a stream, which visits its key tiles. Of too many, each of `most_runs` stretches
/// counts as its middle.
std::vector<BlockRun> query_blocks(const VisitedTiles& visited) {
  std::vector<BlockRun> runs;
  const Count tiles = visited.query_tiles();
  const Count stretch = ceil_div(tiles, most_runs);
  for (Count first = 0; first < tiles; first += stretch) {
    const Count blocks = std::min(stretch, tiles - first);
    append(runs, blocks, static_cast<double>(visited.keys_of(first + blocks / 2).length()));
  }
  return runs;
}

LaunchBlocks flash2_blocks(const Case& point) {
  return {.streams = point.problem.streams(), .stream = query_blocks(VisitedTiles(point.problem, point.tiling))};
}

double tiles_of_stream(const Case& point) {
  double tiles = 0;
  for (const BlockRun& run : query_blocks(VisitedTiles(point.problem, point.tiling))) {
    tiles += static_cast<double>(run.blocks) * run.work;
  }
  return tiles;
}

/// A block a stream that walks all of its query tiles.
LaunchBlocks zigzag_blocks(const Case& point) {
  return {.streams = point.problem.streams(), .stream = {{.blocks = 1, .work = tiles_of_stream(point)}}};
}

/// Blocks that share the row blocks of a head.
LaunchBlocks flash1_blocks(const Case& point) {
  const Count splits = point.options.row_splits;
  return {.streams = point.problem.streams(),
          .stream = {{.blocks = splits, .work = tiles_of_stream(point) / static_cast<double>(splits)}}};
}

/// Key tiles of a query tile, dealt to its splits.
LaunchBlocks split_blocks(const Case& point) {
  const VisitedTiles visited(point.problem, point.tiling);
  const Count splits = splits_of(point);
  const Count each = tiles_per_split(visited.key_tiles(), splits);
  LaunchBlocks blocks{.streams = point.problem.streams(), .stream = {}};
  const Count tiles = std::min(visited.query_tiles(), most_runs);
  for (Count a = 0; a < tiles; ++a) {
    const TileRange keys = visited.keys_of(a);
    for (Count split = 0; split < splits; ++split) {
      const Count begin = std::max(keys.first, split * each);
      const Count end = std::min(keys.last, (split + 1) * each);
      append(blocks.stream, 1, static_cast<double>(std::max<Count>(0, end - begin)));
    }
  }
  return blocks;
}

LaunchBlocks equal_blocks(Count blocks, double work) {
  return {.streams = 1, .stream = {{.blocks = blocks, .work = work}}};
}

LaunchBlocks grid_blocks(std::string_view algorithm, std::string_view kernel, const Case& point) {
  return equal_blocks(launch_grid(algorithm, kernel, point)->size.blocks(), 1);
}

LaunchBlocks gemm_blocks(const Case& point) {
  const Shapes& shapes = point.shapes;
  const Tiling& tiling = point.tiling;
  const Count tiles = checked::multiply(ceil_div(shapes.m, tiling.block_m), ceil_div(shapes.n, tiling.block_n));
  return {.streams = point.problem.batch,
          .stream = {{.blocks = tiles, .work = static_cast<double>(ceil_div(shapes.k, tiling.block_k))}}};
}

std::vector<KernelLaunch> split_launches(const Case& point) {
  std::vector<KernelLaunch> launches = {{.kernel = "split_kv", .blocks = split_blocks(point)}};
  if (splits_of(point) > 1) {
    launches.push_back({.kernel = "combine", .blocks = grid_blocks("split_kv", "combine", point)});
  }
  return launches;
}

std::vector<KernelLaunch> standard_tiled(const Case& point) {
  std::vector<KernelLaunch> launches;
  for (const std::string_view kernel : {"scores", "softmax", "output"}) {
    launches.push_back({.kernel = std::string(kernel), .blocks = grid_blocks("standard_tiled", kernel, point)});
  }
  return launches;
}

/// Kernels whose blocks no formula states: by the tiles that each holds; one where none are stated.
std::vector<KernelLaunch> stated_kernels(std::string_view algorithm, const Case& point) {
  std::vector<KernelLaunch> launches;
  const Formula& formula = formula_of(algorithm);
  for (const KernelTiles& kernel : formula.tiles(accepted(formula, point))) {
    launches.push_back({.kernel = std::string(kernel.kernel)});
  }
  if (launches.empty()) launches.push_back({.kernel = std::string(algorithm)});
  return launches;
}

std::vector<KernelLaunch> untiled(std::string_view algorithm, Count kernels) {
  return {{.kernel = std::string(algorithm), .times = kernels}};
}

Count steps_of(const Options& options) {
  return 3 + (options.unfused_scale ? 1 : 0) + (options.unfused_mask ? 1 : 0) + (options.unfused_dropout ? 1 : 0);
}

std::vector<KernelLaunch> launches_of(std::string_view algorithm, const Case& point) {
  const auto one = [&](LaunchBlocks blocks) {
    return std::vector<KernelLaunch>{{.kernel = std::string(algorithm), .blocks = std::move(blocks)}};
  };
  if (algorithm == "flash2" || algorithm == "flash3") return one(flash2_blocks(point));
  if (algorithm == "flash1") return one(flash1_blocks(point));
  if (algorithm == "zigzag") return one(zigzag_blocks(point));
  if (algorithm == "gemm") return one(gemm_blocks(point));
  if (algorithm == "split_kv") return split_launches(point);
  if (algorithm == "standard_tiled") return standard_tiled(point);
  if (algorithm == "standard") return untiled(algorithm, 3);
  if (algorithm == "standard_unfused") return untiled(algorithm, steps_of(point.options));
  if (algorithm == "standard_backward") return untiled(algorithm, 5);
  return stated_kernels(algorithm, point);
}

}  // namespace

std::vector<KernelLaunch> kernel_launches(std::string_view algorithm, const Case& point) {
  return named("the number of blocks", [&] { return launches_of(algorithm, point); });
}

}  // namespace tilemeter
