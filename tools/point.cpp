#include "tools/point.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/gemm_search.hpp"
#include "model/split_heuristic.hpp"
#include "sim/catalog.hpp"
#include "tools/hints.hpp"
#include "tools/numeric_need.hpp"
#include "tools/options/text.hpp"
#include "tools/resolve.hpp"
#include "tools/splits.hpp"

namespace tilemeter {
namespace {

void set_tiling(ResolvedPoint& point, const Tiling& tiling) {
  point.largest.tiling = tiling;
  for (Case& part : point.parts) part.tiling = tiling;
}

void set_row_softmax(ResolvedPoint& point) {
  const std::string_view name = point.algorithm->name;
  for (Case& part : point.parts) part.options.row_softmax = resolve_row_softmax(name, part, point.budget);
  point.largest.options.row_softmax = resolve_row_softmax(name, point.largest, point.budget);
}

/// One number of splits for all segments, as a launch has it.
void set_splits(ResolvedPoint& point) {
  if (!has_word(point.algorithm->options, "--splits")) return;
  Case whole = point.largest;
  if (point.parts.size() > 1) whole.problem.batch = static_cast<Count>(point.parts.size());
  point.largest.options.splits = splits_of(whole);
  for (Case& part : point.parts) part.options.splits = point.largest.options.splits;
}

/// Completes what the search for the least traffic left open: the order of a GEMM.
void set_gemm_order(ResolvedPoint& point) {
  if (point.algorithm->computation() != Computation::gemm || point.rule != BlockRule::optimum) return;
  for (Case& part : point.parts) part.options.gemm_order = least_traffic_order(part);
  point.largest.options.gemm_order = least_traffic_order(point.largest);
}

}  // namespace

std::optional<std::string> choose_tiling(ResolvedPoint& point) {
  std::optional<std::string> refusal;
  try {
    refuse_splits_past_capacity(point);
    Tiling tiling = resolve_tiling(point.algorithm->name, point.largest, point.rule, point.budget, point.granularity);
    tiling.rule = point.rule;
    set_tiling(point, tiling);
    set_gemm_order(point);
  } catch (const FigureOverflow&) {
    throw;
  } catch (const InputError& error) {
    refusal = error.what();
    Tiling smallest = point.largest.tiling;
    if (point.rule != BlockRule::given) {
      smallest.block_q = smallest.block_k = smallest.block_m = smallest.block_n = point.granularity.rows;
    }
    set_tiling(point, smallest);
  }
  set_row_softmax(point);
  set_splits(point);
  return refusal;
}

namespace {

Overflow overflow_in(Count passed, const Budget& budget, DType operand) {
  if (budget.elements) return {passed, std::nullopt};
  return {ceil_div(passed, size_of(operand)), passed};
}

/// Tile sizes as the result states them: 0 where none could be chosen.
Tiling stated_tiling(const ResolvedPoint& point, const PointResult& result) {
  Tiling tiling = point.largest.tiling;
  const bool given = point.rule == BlockRule::given;
  if (result.refusal && !given) tiling.block_q = tiling.block_k = tiling.block_m = tiling.block_n = 0;
  return tiling;
}

/// Holds the tiling against the budget; fills tiling, memory, fits, overflow, and excess or refusal.
void hold_against_budget(ResolvedPoint& point, PointResult& result) {
  if (!has_tiles(*point.algorithm) || on_chip_tiles_by_kernel(point.algorithm->name, point.largest).empty()) return;
  result.refusal = choose_tiling(point);
  result.tiling = stated_tiling(point, result);
  result.memory.tiles = on_chip_tiles(point.algorithm->name, point.largest);
  result.memory.peak = footprint_of(result.memory.tiles);
  if (!point.budget.limited()) return;
  const Count passed = overflow_of(point.algorithm->name, point.largest, point.budget);
  result.fits = passed == 0 && !result.refusal;
  if (passed == 0) return;
  result.overflow = overflow_in(passed, point.budget, point.largest.problem.dtype);
  if (result.refusal) return;
  (point.budget.overflowing == Overflowing::refused ? result.refusal : result.excess) =
      over_capacity_message(point.algorithm->name, point.largest, point.budget, point.granularity);
}

void merge(NumericCheck& whole, const NumericCheck& part) {
  whole.max_abs_error = std::max(whole.max_abs_error, part.max_abs_error);
  whole.rel_frobenius = std::max(whole.rel_frobenius, part.rel_frobenius);
  whole.tolerance = std::max(whole.tolerance, part.tolerance);
  whole.nan_rows += part.nan_rows;
  if (part.predicted_nan_rows)
    whole.predicted_nan_rows = whole.predicted_nan_rows.value_or(0) + *part.predicted_nan_rows;
  whole.max_lse_error = std::max(whole.max_lse_error, part.max_lse_error);
  whole.ok = whole.ok && part.ok;
}

Counted run_part(const ResolvedPoint& point, const Case& part, const RunOptions& options, PointResult& result) {
  if (options.mode == Mode::count) return count(*point.algorithm, part, point.budget);
  const NumericRun run = run_numeric(*point.algorithm, part, point.budget, options.seed);
  if (result.numeric) {
    merge(*result.numeric, run.check);
  } else {
    result.numeric = run.check;
  }
  return run.counted;
}

void add_sms(const ResolvedPoint& point, const Case& part, Count sms, PointResult& result) {
  const std::vector<SmUse> uses = count_per_sm(*point.algorithm, part, point.budget, sms);
  result.sms.resize(std::max(result.sms.size(), uses.size()));
  for (std::size_t i = 0; i < uses.size(); ++i) {
    result.sms[i].blocks += uses[i].blocks;
    result.sms[i].traffic += uses[i].traffic;
    result.sms[i].peak = std::max(result.sms[i].peak, uses[i].peak);
  }
}

void add_bills(std::string_view algorithm, const Case& part, PointResult& result) {
  add(result.closed, closed_form(algorithm, part));
  add(result.compulsory, compulsory(algorithm, part));
  if (!has_sequences(formula_of(algorithm).computation)) return;
  const auto sum = [](std::string_view figure, Count a, Count b) {
    return named(figure, [&] { return checked::add(a, b); });
  };
  result.pairs = sum("pairs", result.pairs, visible_pairs(part.problem));
  result.empty_rows = sum("empty_rows", result.empty_rows, empty_rows(part.problem));
}

void add_workspace(std::string_view algorithm, const Case& part, PointResult& result) {
  const std::optional<Workspace> own = workspace_of(algorithm, part);
  if (!own) return;
  if (!result.workspace) result.workspace = Workspace{};
  named("the workspace", [&] {
    result.workspace->elements += own->elements;
    result.workspace->bytes += own->bytes;
  });
}

void run(const ResolvedPoint& point, const RunOptions& options, PointResult& result) {
  result.memory = {};
  for (const Case& part : point.parts) {
    Counted counted = run_part(point, part, options, result);
    add(result.counted, counted.work);
    if (result.memory.tiles.empty() || result.memory.peak.bytes() < counted.memory.peak.bytes()) {
      result.memory = std::move(counted.memory);
    }
    add_bills(point.algorithm->name, part, result);
    add_workspace(point.algorithm->name, part, result);
    if (options.sms) add_sms(point, part, *options.sms, result);
  }
  result.expression = expression_of(point.algorithm->name, point.largest);
}

/// Numbers are rounded to every type but fp8.
void refuse_fp8_numbers(const Problem& problem) {
  const std::array stored = {std::pair{"--dtype", problem.dtype}, std::pair{"--score-dtype", problem.score_dtype},
                             std::pair{"--o-dtype", problem.o_dtype}};
  for (const auto& [option, type] : stored) {
    if (type != DType::fp8) continue;
    throw InputError(std::string(option) +
                     " fp8 in --mode numeric: expected fp64, fp32, fp16 or bf16; fp8 can be counted");
  }
}

/// Whether no figure of the point can come near 2^63, by a bound that no algorithm exceeds. With sequences, every pair
/// of rows moves its rows of Q, K, V, O and a few statistics of at most 8 bytes, in every split that was asked for, and
/// every row meets a state of d x dv; without, every step of the innermost loop moves a few elements.
bool far_from_overflow(const Case& point, Computation computation) {
  const auto size = [](Count value) { return static_cast<long double>(value) + 1; };
  const Problem& problem = point.problem;
  const Shapes& shapes = point.shapes;
  if (!has_sequences(computation)) {
    const long double steps = size(shapes.m) * size(shapes.n) * size(shapes.k) * size(shapes.tokens) *
                              size(shapes.d_in) * size(shapes.d_out) * size(shapes.rows) * size(shapes.cols) *
                              size(shapes.length) * size(point.options.ops);
    return size(problem.batch) * steps * 64 < 0x1p62L;
  }
  const long double heads = size(problem.batch) * size(problem.heads);
  const long double scores = size(problem.seq_q) * size(problem.seq_k) * size(point.options.splits.value_or(1));
  const long double state_rows = size(problem.seq_q) + size(problem.seq_k);
  const long double pairs = scores * (size(problem.head_dim) + size(problem.head_dim_v) + 8);
  const long double states = state_rows * size(problem.head_dim) * size(problem.head_dim_v);
  return heads * 64 * (pairs + states) < 0x1p62L;
}

/// A point whose tiling was chosen and held against its budget, with nothing counted yet.
PointResult held_against_budget(ResolvedPoint& point) {
  PointResult result;
  result.request = point.request;
  result.problem = point.largest.problem;
  result.shapes = point.largest.shapes;
  result.budget = point.budget;
  hold_against_budget(point, result);
  result.options = point.largest.options;
  return result;
}

}  // namespace

PointResult evaluate(const PointRequest& request, const RunOptions& options) {
  ResolvedPoint point = resolve(request);
  PointResult result = held_against_budget(point);
  if (!result.refusal) run(point, options, result);
  result.hints = hints_of(result);
  return result;
}

PointResult billed_point(const PointRequest& request) {
  ResolvedPoint point = resolve(request);
  PointResult result = held_against_budget(point);
  if (result.refusal) return result;
  for (const Case& part : point.parts) add_bills(point.algorithm->name, part, result);
  result.counted = result.closed;
  return result;
}

double check(const PointRequest& request, const RunOptions& options) {
  const ResolvedPoint point = resolve(request);
  double numeric_seconds = 0;
  if (options.mode == Mode::numeric) {
    refuse_fp8_numbers(point.largest.problem);
    const PointResult billed = billed_point(request);
    refuse_vast_numbers(billed);
    numeric_seconds = numeric_need(billed).seconds;
  }
  static_cast<void>(accepted(point.algorithm->formula(), point.largest));
  if (point.parts.size() == 1 && far_from_overflow(point.largest, point.algorithm->computation())) {
    return numeric_seconds;
  }
  billed_point(request).closed.total();
  return numeric_seconds;
}

}  // namespace tilemeter
