#include "tests/support/cases.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

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
  options.unfused_gradients = {
      .scale = options.unfused_scale, .mask = options.unfused_mask, .dropout = options.unfused_dropout};
  options.mask_shape = one_in(random, 2) ? MaskShape::row : MaskShape::full;
  options.init = one_in(random, 3) ? StatisticsInit::counted : StatisticsInit::not_counted;
  const bool may_elide = options.init == StatisticsInit::not_counted;
  options.first_visit = may_elide && one_in(random, 2) ? FirstVisit::elides_read : FirstVisit::reads_state;
  options.row_splits = one_in(random, 3) ? between(random, 1, 5) : 1;
  options.empty_lse = one_in(random, 2) ? EmptyLse::plus_infinity : EmptyLse::minus_infinity;
  options.accumulation = one_in(random, 3) ? Accumulation::deterministic : Accumulation::unordered;
  if (!one_in(random, 3)) options.splits = between(random, 1, 9);
  options.split_slots = between(random, 1, 40);
  options.page_size = one_in(random, 2) ? 0 : between(random, 1, 30);
  if (!one_in(random, 5)) options.gemm_order = static_cast<GemmOrder>(between(random, 0, 3));
  options.weight_type = static_cast<WeightType>(between(random, 0, 2));
  options.group_size = one_in(random, 2) ? 0 : between(random, 1, 16);
  options.ops = between(random, 1, 6);
  options.side_inputs = between(random, 0, options.ops);
  options.chunk = between(random, 1, 40);
  point.shapes = {.m = between(random, 1, longest),
                  .n = between(random, 1, longest),
                  .k = between(random, 1, longest),
                  .tokens = between(random, 1, longest),
                  .d_in = between(random, 1, longest),
                  .d_out = between(random, 1, longest),
                  .rows = between(random, 1, longest),
                  .cols = between(random, 1, longest),
                  .length = between(random, 1, 40 * longest)};
  point.tiling.block_m = between(random, 1, longest + 10);
  point.tiling.block_n = between(random, 1, longest + 10);
  options.row_softmax = one_in(random, 2) ? RowSoftmax::resident : RowSoftmax::online;
  return point;
}

namespace {

/// Pages that divide a key tile or are a multiple of it.
void fit_pages(Case& point) {
  Count& page = point.options.page_size;
  const Count keys = point.tiling.block_k;
  if (page == 0) return;
  if (page > keys) page = page / keys * keys;
  while (page < keys && keys % page != 0) --page;
}

}  // namespace

Case adapted(Case point, const Formula& formula) {
  using Change = void (*)(Case&);
  constexpr Change changes[] = {
      [](Case&) {},
      fit_pages,
      [](Case& c) { c.options.group_size += c.options.group_size % 2; },
      [](Case& c) {
        if (c.options.weight_type == WeightType::bf16) c.options.group_size = 0;
      },
      [](Case& c) {
        if (c.options.gemm_order != GemmOrder::c_stationary) c.tiling.stages = 1;
      },
      [](Case& c) { c.problem.packing = Packing::unpacked; },
      [](Case& c) { c.problem.seq_k = std::max<Count>(c.problem.seq_k, 1); },
      [](Case& c) { c.problem.mask = {}; },
      [](Case& c) { c.problem.kv_heads = c.problem.heads; },
      [](Case& c) { c.problem.seq_k = c.problem.seq_q; },
      [](Case& c) { c.problem.mask = {.kind = MaskKind::causal}; },
  };
  for (const Change change : changes) {
    change(point);
    if (formula.refusal(formula.name, point).empty()) return point;
  }
  throw std::logic_error(std::string(formula.name) + " takes no point near " + describe(point));
}

Case adapted(Case point, const Formula& formula, std::mt19937_64& random) {
  if (!formula.variants.empty()) {
    const auto last = static_cast<Count>(formula.variants.size()) - 1;
    point.options.variant = formula.variants[static_cast<std::size_t>(between(random, 0, last))];
  }
  return adapted(std::move(point), formula);
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
  if (point.options.variant) text << " --variant " << name_of(*point.options.variant);
  if (point.options.splits) text << " --splits " << *point.options.splits;
  text << " slots " << point.options.split_slots << " --page-size " << point.options.page_size << " accumulation "
       << static_cast<int>(point.options.accumulation) << " --chunk " << point.options.chunk;
  const Shapes& shapes = point.shapes;
  text << " --block-m " << point.tiling.block_m << " --block-n " << point.tiling.block_n << " --m " << shapes.m
       << " --n " << shapes.n << " --k " << shapes.k << " order "
       << (point.options.gemm_order ? name_of(*point.options.gemm_order) : "default") << " --tokens " << shapes.tokens
       << " --d-in " << shapes.d_in << " --d-out " << shapes.d_out << " weights "
       << static_cast<int>(point.options.weight_type) << " --group-size " << point.options.group_size << " --rows "
       << shapes.rows << " --cols " << shapes.cols << " --length " << shapes.length << " --ops " << point.options.ops
       << " side " << point.options.side_inputs;
  return text.str();
}

}  // namespace tilemeter::testing
