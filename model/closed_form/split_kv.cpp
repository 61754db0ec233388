#include "model/closed_form/split_kv.hpp"

#include <algorithm>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/flash2.hpp"
#include "model/closed_form/tiles.hpp"
#include "model/closed_form/visited.hpp"
#include "model/geometry.hpp"
#include "model/split_heuristic.hpp"

namespace tilemeter {
namespace {

/// Query rows, summed over the splits in which their tile visits a key tile. A split is a key tile of nb Bc keys.
Wide query_rows_read(const Case& point, Count splits) {
  const VisitedTiles visited(point.problem, point.tiling);
  const Wide keys_of_split = Wide(tiles_per_split(visited.key_tiles(), splits)) * visited.keys().size;
  const Count clipped = std::min(keys_of_split, std::max(Wide(point.problem.seq_k), Wide(1))).narrow();
  return VisitedSums(point.problem, point.tiling.block_q, clipped).query_rows_streamed();
}

OnChipTile page_entries(const Case& point, Count keys) {
  return {.name = "pages",
          .space = Space::shared,
          .rows = 1,
          .cols = ceil_div(keys, point.options.page_size),
          .copies = 1,
          .dtype = DType::i32};
}

std::vector<OnChipTile> combine_tiles(const Case& point, Count splits) {
  const Count rows = std::min(combine_block_rows(point.problem), point.problem.rows());
  OnChipTile parts = accumulator_tile("LSEacc", rows, splits, point);
  parts.space = Space::shared;
  return {std::move(parts), accumulator_tile("LSE", rows, 1, point),
          accumulator_tile("O", rows, point.problem.head_dim_v, point),
          accumulator_tile("Oacc", rows, point.problem.head_dim_v, point)};
}

}  // namespace

std::string refuse_uneven_pages(std::string_view name, const Case& point) {
  const Count page = point.options.page_size;
  const Count keys = point.tiling.block_k;
  if (page == 0 || page % keys == 0 || keys % page == 0) return "";
  return "--page-size " + std::to_string(page) + ": " + std::string(name) + " takes pages that divide --block-k (" +
         std::to_string(keys) + ") or are a multiple of it";
}

Count combine_block_rows(const Problem& problem) {
  if (problem.head_dim_v % 128 == 0) return 4;
  return problem.head_dim_v % 64 == 0 ? 8 : 16;
}

Work split_kv_bill(const Case& point) {
  const Problem& problem = point.problem;
  const Count splits = splits_of(point);
  Work work = flash2_bill(point);
  Bill bill(problem);
  bill.read(TensorName::Q, {query_rows_read(point, splits), problem.head_dim});
  work[TensorName::Q] = bill.work()[TensorName::Q];
  if (point.options.page_size > 0) {
    const VisitedSums visited(problem, point.tiling.block_q, point.tiling.block_k);
    bill.read(TensorName::block_table, {visited.key_pages_streamed(point.options.page_size)});
    work[TensorName::block_table] = bill.work()[TensorName::block_table];
  }
  if (splits == 1) return work;
  bill.write(TensorName::Oacc, {splits, problem.rows(), problem.head_dim_v});
  bill.read(TensorName::Oacc, {splits, problem.rows(), problem.head_dim_v});
  bill.write(TensorName::LSEacc, {splits, problem.rows()});
  bill.read(TensorName::LSEacc, {splits, problem.rows()});
  bill.combine_exponentials({2, splits, problem.rows()});
  for (const TensorName tensor : {TensorName::Oacc, TensorName::LSEacc}) work[tensor] = bill.work()[tensor];
  work.exp.combine = bill.work().exp.combine;
  return work;
}

std::string split_kv_expression(const Case& point) {
  const Problem& problem = point.problem;
  const Count splits = splits_of(point);
  const std::string rows = rows_symbol(problem);
  const std::string partial = splits > 1 ? " + 2n " + rows + "(dv + 1)" : "";
  const std::string table = point.options.page_size > 0 ? " + PS" : "";
  return over_streams(problem, "QS d + KS(d + dv) + " + rows + "(dv + 1)" + partial + table) +
         ", QS = query rows, summed over their non-empty splits, KS = key rows streamed, summed over the query tiles" +
         (splits > 1 ? ", n = " + std::to_string(splits) + " splits" : "") +
         (point.options.page_size > 0 ? ", PS = pages of all visited tiles" : "");
}

std::vector<KernelTiles> split_kv_tiles(const Case& point) {
  const Count splits = splits_of(point);
  std::vector<OnChipTile> main = streaming_tiles(point);
  if (point.options.page_size > 0) main.push_back(page_entries(point, clipped(point).keys));
  std::vector<KernelTiles> kernels = {{"split_kv", std::move(main)}};
  if (splits > 1) kernels.push_back({"combine", combine_tiles(point, splits)});
  return kernels;
}

}  // namespace tilemeter
