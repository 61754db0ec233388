// Random small problems for the laws of the closed forms.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "model/problem.hpp"

namespace tilemeter {

/// Draws cases that cover every mask with a closed form, ragged tiles, tiles larger than the problem, no keys, no
/// queries, grouped and packed heads, and every option. The same seed gives the same cases.
class RandomCases {
 public:
  explicit RandomCases(std::uint32_t seed) : engine_(seed) {}

  Count between(Count least, Count most) { return std::uniform_int_distribution<Count>(least, most)(engine_); }
  bool one_in(Count n) { return between(1, n) == 1; }

  Mask mask() {
    const MaskKind kinds[] = {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left, MaskKind::window};
    Mask mask{.kind = kinds[between(0, 3)], .left = std::nullopt, .right = std::nullopt, .pairs = nullptr};
    if (mask.kind == MaskKind::window) {
      if (!one_in(5)) mask.left = between(0, one_in(3) ? 60 : 8);
      if (!one_in(5)) mask.right = between(0, one_in(3) ? 60 : 8);
    }
    return mask;
  }

  Problem problem() {
    Problem problem;
    problem.kv_heads = between(1, 2);
    problem.heads = problem.kv_heads * between(1, 4);
    problem.batch = between(1, 2);
    problem.seq_q = between(one_in(20) ? 0 : 1, 30);
    problem.seq_k = one_in(3) ? problem.seq_q : between(0, 40);
    problem.head_dim = between(1, 5);
    problem.head_dim_v = between(1, 5);
    problem.mask = mask();
    problem.packing = one_in(2) ? Packing::packed : Packing::unpacked;
    problem.dtype = any_type();
    problem.stat_dtype = any_type();
    problem.score_dtype = any_type();
    problem.o_dtype = any_type();
    problem.fp8_output = any_type();
    return problem;
  }

  Case point() {
    Case point;
    point.problem = problem();
    point.tiling.block_q = between(1, one_in(5) ? 200 : 12);
    point.tiling.block_k = between(1, one_in(5) ? 60 : 12);
    point.tiling.block_d = between(0, 6);
    Options& options = point.options;
    options.unfused_scale = one_in(2);
    options.unfused_mask = one_in(2);
    options.unfused_dropout = one_in(2);
    options.mask_shape = one_in(2) ? MaskShape::row : MaskShape::full;
    options.row_splits = one_in(2) ? 1 : between(1, 9);
    options.row_softmax = one_in(2) ? RowSoftmax::resident : RowSoftmax::online;
    options.splits = between(1, one_in(3) ? 60 : 7);
    if (one_in(2)) options.page_size = even_page(point.tiling.block_k);
    if (one_in(3)) {
      options.init = StatisticsInit::counted;
    } else if (one_in(2)) {
      options.first_visit = FirstVisit::elides_read;
    }
    return point;
  }

 private:
  /// A multiple of a key tile, or a divisor of it.
  Count even_page(Count block_k) {
    if (one_in(2)) return block_k * between(1, 4);
    Count page = between(1, block_k);
    while (block_k % page != 0) --page;
    return page;
  }

  DType any_type() {
    const DType types[] = {DType::fp64, DType::fp32, DType::fp16, DType::fp8};
    return types[between(0, 3)];
  }

  std::mt19937 engine_;
};

/// A case in one line, for the messages of failing tests.
inline std::string describe(const Case& point) {
  const Problem& p = point.problem;
  const auto side = [](const std::optional<Count>& value) { return value ? std::to_string(*value) : "-1"; };
  std::string text(name_of(p.mask.kind));
  if (p.mask.kind == MaskKind::window)
    text.append(" ").append(side(p.mask.left)).append(",").append(side(p.mask.right));
  text += p.packing == Packing::packed ? " packed" : "";
  text += " batch " + std::to_string(p.batch) + " heads " + std::to_string(p.heads) + "/" + std::to_string(p.kv_heads);
  text += " seq " + std::to_string(p.seq_q) + "x" + std::to_string(p.seq_k);
  text += " dim " + std::to_string(p.head_dim) + "," + std::to_string(p.head_dim_v);
  text += " blocks " + std::to_string(point.tiling.block_q) + "x" + std::to_string(point.tiling.block_k) + "x" +
          std::to_string(point.tiling.block_d);
  text += " splits " + std::to_string(point.options.splits.value_or(0));
  text += " page " + std::to_string(point.options.page_size);
  return text + " row splits " + std::to_string(point.options.row_splits);
}

}  // namespace tilemeter
