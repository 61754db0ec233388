#include "model/footprint.hpp"

#include <algorithm>

namespace tilemeter {
namespace {

/// Tile sizes after clipping to the problem.
struct ClippedSizes {
  Count rows;
  Count keys;
  Count depth;    ///< of the scores GEMM
  Count columns;  ///< of the output GEMM
};

ClippedSizes clipped(const Case& point) {
  const Problem& problem = point.problem;
  const Tiling& tiling = point.tiling;
  const auto along_head = [&](Count dim) { return tiling.block_d == 0 ? dim : std::min(tiling.block_d, dim); };
  return {.rows = std::min(tiling.block_q, problem.rows()),
          .keys = std::min(tiling.block_k, problem.seq_k),
          .depth = along_head(problem.head_dim),
          .columns = along_head(problem.head_dim_v)};
}

OnChipTile operand(std::string name, Count rows, Count cols, const Case& point, Count copies = 1) {
  return {.name = std::move(name),
          .space = Space::shared,
          .rows = rows,
          .cols = cols,
          .copies = copies,
          .dtype = point.problem.dtype};
}

OnChipTile accumulator(std::string name, Count rows, Count cols, const Case& point) {
  return {.name = std::move(name),
          .space = Space::registers,
          .rows = rows,
          .cols = cols,
          .copies = 1,
          .dtype = accumulator_type(point.problem.dtype)};
}

std::vector<KernelTiles> streaming(const Case& point) {
  const auto [rows, keys, depth, columns] = clipped(point);
  const Count d = point.problem.head_dim;
  const Count d_v = point.problem.head_dim_v;
  const Count stages = point.tiling.stages;
  return {{"attention",
           {operand("Q", rows, d, point), operand("K", keys, d, point, stages), operand("V", keys, d_v, point, stages),
            accumulator("O", rows, d_v, point), accumulator("S", rows, keys, point), accumulator("l", rows, 1, point),
            accumulator("m", rows, 1, point)}}};
}

std::vector<KernelTiles> tiled_gemms(const Case& point) {
  const auto [rows, keys, depth, columns] = clipped(point);
  const Count row = point.options.row_softmax == RowSoftmax::resident ? point.problem.seq_k : keys;
  std::vector<KernelTiles> kernels = {
      {"softmax", {accumulator("S", 1, row, point), accumulator("l", 1, 1, point), accumulator("m", 1, 1, point)}},
      {"output",
       {operand("P", rows, keys, point), operand("V", keys, columns, point), accumulator("O", rows, columns, point)}}};
  if (keys == 0) return kernels;  // an empty S has no tile to compute
  kernels.insert(kernels.begin(), {"scores",
                                   {operand("Q", rows, depth, point), operand("K", keys, depth, point),
                                    accumulator("S", rows, keys, point)}});
  return kernels;
}

}  // namespace

std::vector<KernelTiles> on_chip_tiles_by_kernel(std::string_view algorithm, const Case& point) {
  if (algorithm == "flash1" || algorithm == "flash2") return streaming(point);
  if (algorithm == "standard_tiled") return tiled_gemms(point);
  if (algorithm == "standard" || algorithm == "standard_unfused") return {};
  throw InputError("--algorithm " + std::string(algorithm) +
                   ": the tiles on chip are known for standard, standard_unfused, standard_tiled, flash1, flash2");
}

std::vector<OnChipTile> on_chip_tiles(std::string_view algorithm, const Case& point) {
  std::vector<OnChipTile> fullest;
  Bytes most;
  for (KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, point)) {
    const Bytes use = footprint_of(kernel.tiles).bytes();
    if (!fullest.empty() && use <= most) continue;
    fullest = std::move(kernel.tiles);
    most = use;
  }
  return fullest;
}

Count overflow_of(std::string_view algorithm, const Case& point, const Budget& budget) {
  Count most = 0;
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, point)) {
    most = std::max(most, overflow_of(footprint_of(kernel.tiles), budget));
  }
  return most;
}

}  // namespace tilemeter
