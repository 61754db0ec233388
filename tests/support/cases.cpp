#include "tests/support/cases.hpp"

#include <sstream>

namespace tilemeter::testing {
namespace {

Count between(std::mt19937_64& random, Count low, Count high) {
  return std::uniform_int_distribution<Count>(low, high)(random);
}

bool one_in(std::mt19937_64& random, Count n) { return between(random, 1, n) == 1; }

std::optional<Count> random_side(std::mt19937_64& random, Count longest) {
  if (one_in(random, 4)) return std::nullopt;
  return between(random, 0, longest);
}

Mask random_mask(std::mt19937_64& random, Count longest) {
  switch (between(random, 0, 4)) {
    case 0:
      return {};
    case 1:
      return {.kind = MaskKind::causal};
    case 2:
      return {.kind = MaskKind::causal_top_left};
    default:
      return {.kind = MaskKind::window, .left = random_side(random, longest), .right = random_side(random, longest)};
  }
}

}  // namespace

Case random_case(std::mt19937_64& random, Extent extent) {
  const Count longest = extent == Extent::tiny ? 24 : 90;
  Case point;
  Problem& problem = point.problem;
  problem.batch = between(random, 1, 2);
  problem.kv_heads = between(random, 1, 2);
  problem.heads = problem.kv_heads * between(random, 1, 4);
  problem.seq_q = one_in(random, 8) ? 1 : between(random, 1, longest);
  problem.seq_k = one_in(random, 3) ? problem.seq_q : between(random, 0, longest);
  problem.head_dim = between(random, 1, 12);
  problem.head_dim_v = one_in(random, 2) ? problem.head_dim : between(random, 1, 12);
  problem.mask = random_mask(random, longest);
  problem.packing = one_in(random, 3) ? Packing::packed : Packing::unpacked;
  problem.dtype = problem.score_dtype = problem.o_dtype = DType::fp16;
  point.tiling = {.block_q = between(random, 1, longest + 10),
                  .block_k = one_in(random, 4) ? between(random, 1, longest + 10) : between(random, 1, 20),
                  .block_d = between(random, 0, 14),
                  .stages = between(random, 1, 3),
                  .rule = BlockRule::given};
  if (one_in(random, 2)) point.tiling.block_q = between(random, 1, 20);
  Options& options = point.options;
  options.unfused_scale = one_in(random, 2);
  options.unfused_mask = one_in(random, 2);
  options.unfused_dropout = one_in(random, 2);
  options.mask_shape = one_in(random, 2) ? MaskShape::row : MaskShape::full;
  options.init = one_in(random, 3) ? StatisticsInit::counted : StatisticsInit::not_counted;
  const bool may_elide = options.init == StatisticsInit::not_counted;
  options.first_visit = may_elide && one_in(random, 2) ? FirstVisit::elides_read : FirstVisit::reads_state;
  options.row_splits = one_in(random, 3) ? between(random, 1, 5) : 1;
  options.empty_lse = one_in(random, 2) ? EmptyLse::plus_infinity : EmptyLse::minus_infinity;
  options.row_softmax = one_in(random, 2) ? RowSoftmax::resident : RowSoftmax::online;
  return point;
}

std::string describe(const Case& point) {
  const Problem& problem = point.problem;
  std::ostringstream text;
  text << "--batch " << problem.batch << " --heads " << problem.heads << " --kv-heads " << problem.kv_heads
       << " --seq-q " << problem.seq_q << " --seq-k " << problem.seq_k << " --head-dim " << problem.head_dim
       << " --head-dim-v " << problem.head_dim_v << " --mask " << name_of(problem.mask.kind) << ":"
       << problem.mask.left.value_or(-1) << ":" << problem.mask.right.value_or(-1)
       << (problem.packing == Packing::packed ? " --packed" : "") << " --block-q " << point.tiling.block_q
       << " --block-k " << point.tiling.block_k << " --block-d " << point.tiling.block_d << " --stages "
       << point.tiling.stages << " init " << static_cast<int>(point.options.init) << " elide "
       << static_cast<int>(point.options.first_visit) << " --row-splits " << point.options.row_splits << " unfused "
       << point.options.unfused_scale << point.options.unfused_mask << point.options.unfused_dropout
       << " online softmax " << static_cast<int>(point.options.row_softmax) << " mask shape "
       << static_cast<int>(point.options.mask_shape);
  return text.str();
}

}  // namespace tilemeter::testing
