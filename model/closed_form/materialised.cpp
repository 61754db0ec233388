#include "model/closed_form/materialised.hpp"

#include <algorithm>
#include <cmath>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {

Count side_of_square_tile(Count capacity) {
  auto side = static_cast<Count>(std::sqrt(static_cast<double>(std::max<Count>(0, capacity))));
  const auto needs = [](Count b) { return Wide(b) * b + Wide(2) * b; };
  while (side > 0 && needs(side) > Wide(capacity)) --side;
  while (needs(side + 1) <= Wide(capacity)) ++side;
  return side;
}

Work materialised_bill(const Case& point) {
  const Problem& problem = point.problem;
  const Wide rows = problem.rows();
  const Wide keys = problem.seq_k;
  const Wide row_tiles = ceil_div(rows, Wide(point.tiling.block_q));
  const Wide key_tiles = ceil_div(keys, Wide(point.tiling.block_k));
  const Wide columns = ceil_div(Wide(problem.head_dim_v), Wide(point.tiling.block_k));

  Bill bill(problem);
  bill.read(TensorName::Q, {key_tiles, rows, problem.head_dim});
  bill.read(TensorName::K, {row_tiles, keys, problem.head_dim});
  bill.write(TensorName::S, {rows, keys});
  bill.read(TensorName::S, {rows, keys, columns + 1});
  for (const TensorName statistic : {TensorName::l, TensorName::m}) {
    bill.write(statistic, {rows});
    bill.read(statistic, {rows, columns});
  }
  bill.read(TensorName::V, {row_tiles, keys, problem.head_dim_v});
  bill.write(TensorName::O, {rows, problem.head_dim_v});
  bill.multiply_add({rows, keys, Wide(problem.head_dim) + problem.head_dim_v});
  bill.score_exponentials({rows, keys, columns + 1});
  bill.rescale_exponentials({rows, key_tiles});
  bill.tiles({row_tiles, key_tiles * problem.head_dim + columns * keys});
  return bill.work();
}

std::string materialised_expression(const Case& point) {
  const Problem& problem = point.problem;
  const std::string tail = ", Tv = ceil(dv / Bc)";
  if (is_textbook(problem)) {
    return over_streams(problem, "Nd(Tc + 2Tr + 1) + N^2(2 + Tv) + 2N(1 + Tv)") + tail;
  }
  const std::string rows = rows_symbol(problem);
  return over_streams(problem, rows + "(d Tc + dv) + Nk(d + dv)Tr + " + rows + " Nk(2 + Tv) + 2" + rows + "(1 + Tv)") +
         tail;
}

std::vector<KernelTiles> materialised_tiles(const Case& point) {
  const auto [rows, keys] = clipped(point);
  const Count columns = std::min(point.tiling.block_k, point.problem.head_dim_v);
  std::vector<KernelTiles> kernels;
  if (keys > 0) {  // an empty S has no tile to compute
    kernels.push_back({"scores",
                       {operand_tile("Q", rows, 1, point), operand_tile("K", keys, 1, point),
                        accumulator_tile("S", rows, keys, point)}});
  }
  kernels.push_back({"statistics",
                     {accumulator_tile("S", rows, keys, point), accumulator_tile("l", rows, 1, point),
                      accumulator_tile("m", rows, 1, point)}});
  kernels.push_back({"output",
                     {accumulator_tile("P", rows, 1, point), accumulator_tile("m", rows, 1, point),
                      accumulator_tile("O", rows, columns, point)}});
  return kernels;
}

}  // namespace tilemeter
