#include "model/closed_form/chunked.hpp"

#include <algorithm>
#include <cmath>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

constexpr Count query_chunk_of_paper = 1024;

Count rounded_up_square_root(Count value) {
  auto root = static_cast<Count>(std::sqrt(static_cast<double>(value)));
  while (root > 0 && Wide(root - 1) * (root - 1) >= Wide(value)) --root;
  while (Wide(root) * root < Wide(value)) ++root;
  return root;
}

Variant variant_of(const Case& point) { return point.options.variant.value_or(chunked_variants.front()); }
Count key_chunks(const Case& point) { return ceil_div(point.problem.seq_k, point.tiling.block_k); }

/// A column of accumulators of one row, for `chunks` key chunks.
OnChipTile row_of(std::string name, Count cols, const Case& point) {
  return accumulator_tile(std::move(name), 1, cols, point);
}

KernelTiles combine_tiles(const Case& point) {
  const Count chunks = key_chunks(point);
  const Count d_v = point.problem.head_dim_v;
  return {
      "combine",
      {row_of("m", chunks, point), row_of("l", chunks, point), row_of("part", d_v, point), row_of("O", d_v, point)}};
}

std::vector<OnChipTile> onchip_tiles(const Case& point) {
  std::vector<OnChipTile> tiles = streaming_tiles(point);
  const Count summaries = std::max<Count>(1, key_chunks(point));
  for (OnChipTile& tile : tiles) {
    if (tile.name == "O" || tile.name == "l" || tile.name == "m") tile.copies = summaries;
  }
  return tiles;
}

std::vector<KernelTiles> unfused_tiles(const Case& point) {
  const auto [rows, keys] = clipped(point);
  const Count d = point.problem.head_dim;
  const Count d_v = point.problem.head_dim_v;
  return {{"scores",
           {operand_tile("Q", rows, d, point), operand_tile("K", keys, d, point),
            accumulator_tile("S", rows, keys, point)}},
          {"exponentials",
           {accumulator_tile("S", rows, keys, point), accumulator_tile("l", rows, 1, point),
            accumulator_tile("m", rows, 1, point)}},
          {"values",
           {operand_tile("E", rows, keys, point), operand_tile("V", keys, d_v, point),
            accumulator_tile("O", rows, d_v, point)}},
          combine_tiles(point)};
}

/// What one element of scores and of summaries weighs: 1, or its bytes.
struct Weights {
  Count score = 1;
  Count summary = 1;
};

Wide most_in_use(const Case& point, Weights weights) {
  const Problem& problem = point.problem;
  const Wide rows = clipped(point).rows;
  const Wide scores = rows * weights.score * (variant_of(point) == Variant::unfused ? 2 : 1);
  const Wide summary = rows * (Wide(problem.head_dim_v) + 2) * weights.summary;
  const Wide full = problem.seq_k / point.tiling.block_k;
  const Wide rest = problem.seq_k % point.tiling.block_k;
  Wide most = 0;
  if (full > Wide(0)) most = scores * point.tiling.block_k + full * summary;
  if (rest > Wide(0)) most = std::max(most, scores * rest + (full + 1) * summary);
  return most * problem.streams();
}

Weights bytes_of_workspace(const Case& point) {
  const Problem& problem = point.problem;
  const Count on_chip = size_of(accumulator_type(problem.dtype));
  const Count in_memory = size_of(problem.stat_dtype);
  const Variant variant = variant_of(point);
  return {.score = variant == Variant::unfused ? size_of(problem.score_dtype) : on_chip,
          .summary = variant == Variant::onchip ? on_chip : in_memory};
}

}  // namespace

Tiling chunks_of_paper(const Problem& problem) {
  return {.block_q = query_chunk_of_paper,
          .block_k = std::max<Count>(1, rounded_up_square_root(problem.seq_k)),
          .rule = BlockRule::paper};
}

Work chunked_bill(const Case& point) {
  const Problem& problem = point.problem;
  const Variant variant = variant_of(point);
  const Wide rows = problem.rows();
  const Wide keys = problem.seq_k;
  const Wide nq = ceil_div(rows, Wide(point.tiling.block_q));
  const Wide nk = key_chunks(point);

  Bill bill(problem);
  bill.read(TensorName::Q, {rows, problem.head_dim, variant == Variant::unfused ? nk : std::min(nk, Wide(1))});
  bill.read(TensorName::K, {nq, keys, problem.head_dim});
  bill.read(TensorName::V, {nq, keys, problem.head_dim_v});
  bill.write(TensorName::O, {rows, problem.head_dim_v});
  if (variant != Variant::onchip) {
    bill.write(TensorName::part, {nk, rows, Wide(problem.head_dim_v) + 2});
    bill.read(TensorName::part, {nk, rows, Wide(problem.head_dim_v) + 2});
  }
  if (variant == Variant::unfused) {
    for (const TensorName scores : {TensorName::S, TensorName::E}) {
      bill.write(scores, {rows, keys});
      bill.read(scores, {rows, keys});
    }
  }
  bill.multiply_add({rows, keys, Wide(problem.head_dim) + problem.head_dim_v});
  bill.score_exponentials({rows, keys});
  bill.combine_exponentials({nk, rows});
  bill.tiles({nq, nk});
  return bill.work();
}

std::string chunked_expression(const Case& point) {
  const Problem& problem = point.problem;
  const bool textbook = is_textbook(problem);
  std::string sum;
  switch (variant_of(point)) {
    case Variant::unfused:
      sum = textbook ? "(nk + 1)Nd + 2nq Nd + 2nk N(d + 2) + 4N^2"
                     : "nk Nq d + nq Nk(d + dv) + Nq dv + 2nk Nq(dv + 2) + 4 Nq Nk";
      break;
    case Variant::fused:
      sum = textbook ? "2Nd + 2nq Nd + 2nk N(d + 2)" : "Nq(d + dv) + nq Nk(d + dv) + 2nk Nq(dv + 2)";
      break;
    default:
      sum = textbook ? "2Nd + 2nq Nd" : "Nq(d + dv) + nq Nk(d + dv)";
      break;
  }
  return over_streams(problem, sum) + ", nq = query chunks" +
         (variant_of(point) == Variant::onchip ? "" : ", nk = key chunks");
}

std::vector<KernelTiles> chunked_tiles(const Case& asked) {
  Case point = asked;
  point.tiling.stages = 1;
  if (variant_of(point) == Variant::onchip) return {{"chunked", onchip_tiles(point)}};
  if (key_chunks(point) == 0) return {combine_tiles(point)};
  if (variant_of(point) == Variant::unfused) return unfused_tiles(point);
  return {{"summaries", streaming_tiles(point)}, combine_tiles(point)};
}

Workspace chunked_workspace(const Case& point) {
  return {.elements = Elements(most_in_use(point, {}).narrow()),
          .bytes = Bytes(most_in_use(point, bytes_of_workspace(point)).narrow())};
}

}  // namespace tilemeter
