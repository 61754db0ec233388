#include "model/closed_form/standard_tiled.hpp"

#include <algorithm>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

/// Chunks of `extent` elements of the head dimension.
Wide chunks(Count extent, Count block_d) { return block_d == 0 ? Wide(1) : Wide(ceil_div(extent, block_d)); }

Wide softmax_passes(const Options& options) { return options.row_softmax == RowSoftmax::online ? 2 : 1; }

}  // namespace

Work standard_tiled_bill(const Case& point) {
  const Problem& problem = point.problem;
  const Tiling& tiling = point.tiling;
  const Wide rows = problem.rows();
  const Wide keys = problem.seq_k;
  const Wide query_tiles = ceil_div(rows, Wide(tiling.block_q));
  const Wide key_tiles = ceil_div(keys, Wide(tiling.block_k));
  const Wide qk_chunks = chunks(problem.head_dim, tiling.block_d);
  const Wide output_columns = chunks(problem.head_dim_v, tiling.block_d);

  Bill bill(problem);
  bill.read(TensorName::Q, {rows, key_tiles, problem.head_dim});
  bill.read(TensorName::K, {keys, query_tiles, problem.head_dim});
  bill.write(TensorName::S, {rows, keys});
  bill.read(TensorName::S, {rows, keys, softmax_passes(point.options)});
  bill.write(TensorName::P, {rows, keys});
  bill.read(TensorName::P, {rows, keys, output_columns});
  bill.read(TensorName::V, {keys, query_tiles, problem.head_dim_v});
  bill.write(TensorName::O, {rows, problem.head_dim_v});
  bill.multiply_add({rows, keys, Wide(problem.head_dim) + problem.head_dim_v});
  bill.score_exponentials({rows, keys, softmax_passes(point.options)});
  if (point.options.row_softmax == RowSoftmax::online) bill.rescale_exponentials({rows, key_tiles});
  bill.tiles({query_tiles, key_tiles, qk_chunks + output_columns});
  return bill.work();
}

std::string standard_tiled_expression(const Case& point) {
  const Problem& problem = point.problem;
  const std::string per_score = point.options.row_softmax == RowSoftmax::online ? "(4 + Td)" : "(3 + Td)";
  if (is_textbook(problem)) return over_streams(problem, "Nd(Tc + 2Tr + 1) + N^2" + per_score);
  const std::string rows = rows_symbol(problem);
  return over_streams(problem, rows + "(d Tc + dv) + Nk(d + dv)Tr + " + rows + " Nk" + per_score);
}

std::vector<KernelTiles> standard_tiled_tiles(const Case& point) {
  const auto [rows, keys] = clipped(point);
  const auto along_head = [&](Count dim) {
    return point.tiling.block_d == 0 ? dim : std::min(point.tiling.block_d, dim);
  };
  const Count depth = along_head(point.problem.head_dim);
  const Count columns = along_head(point.problem.head_dim_v);
  const Count row = point.options.row_softmax == RowSoftmax::resident ? point.problem.seq_k : keys;
  std::vector<KernelTiles> kernels = {
      {"softmax",
       {accumulator_tile("S", 1, row, point), accumulator_tile("l", 1, 1, point), accumulator_tile("m", 1, 1, point)}},
      {"output",
       {operand_tile("P", rows, keys, point), operand_tile("V", keys, columns, point),
        accumulator_tile("O", rows, columns, point)}}};
  if (keys == 0) return kernels;  // an empty S has no tile to compute
  kernels.insert(kernels.begin(), {"scores",
                                   {operand_tile("Q", rows, depth, point), operand_tile("K", keys, depth, point),
                                    accumulator_tile("S", rows, keys, point)}});
  return kernels;
}

}  // namespace tilemeter
