#include "kernels/stream_refusals.hpp"

#include <limits>
#include <tuple>

#include "kernels/catalog.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/linear_attention.hpp"
#include "kernels/softmax.hpp"
#include "kernels/split_kv.hpp"
#include "model/closed_form/elementwise.hpp"
#include "model/closed_form/linear_attention.hpp"
#include "model/geometry.hpp"
#include "model/split_heuristic.hpp"

namespace tilemeter::kernels {
namespace {

Count product(Count a, Count b) {
  return named("the grid", [&] { return checked::multiply(a, b); });
}

std::optional<std::string> unless_at_most(std::string_view option, Count given, Count most, std::string_view why) {
  if (given <= most) return std::nullopt;
  return std::string(option) + " " + std::to_string(given) + ": at most " + std::to_string(most) + std::string(why);
}

}  // namespace

Count elementwise_blocks(const Case& point) {
  return product(point.problem.batch, ceil_div(point.shapes.length, point.tiling.block_k));
}

std::optional<std::string> refusal_of_chain(const Case& point) {
  if (std::string reason = refuse_side_inputs("elementwise", point); !reason.empty()) return reason;
  return grid_too_large(elementwise_blocks(point));
}

Count softmax_blocks(const Case& point) { return product(point.problem.batch, point.shapes.rows); }

std::optional<std::string> refusal_of_rows(const Case& point) {
  const Count cols = point.shapes.cols;
  if (auto reason = grid_too_large(softmax_blocks(point))) return reason;
  if (point.options.variant == Variant::resident) {
    const Count most = longest_resident_bytes / size_of(point.problem.dtype);
    return unless_at_most("--cols", cols, most, " with --variant resident, which keeps a row in registers");
  }
  return unless_at_most("--cols", cols, std::numeric_limits<std::int32_t>::max() / 2, "");
}

Count split_kv_blocks(const Case& point) { return product(grid_blocks(point), splits_of(point)); }

Count split_kv_tiles(const Case& point) {
  return tiles_per_split(VisitedTiles(point.problem, point.tiling).key_tiles(), splits_of(point));
}

std::optional<std::string> refusal_of_splits(const Case& point) {
  if (point.options.page_size > 0) {
    return "--page-size " + std::to_string(point.options.page_size) + ": accepted is 0, K and V without pages";
  }
  if (auto reason = unless_at_most("--splits", splits_of(point), most_splits, "")) return reason;
  constexpr Count most_rows = std::numeric_limits<std::int32_t>::max();
  if (auto reason = unless_at_most("rows of a stream:", point.problem.rows(), most_rows, "")) return reason;
  return grid_too_large(split_kv_blocks(point));
}

std::optional<std::string> refusal_of_linear(const Case& point) {
  const auto& [problem, options] = std::tie(point.problem, point.options);
  if (std::string reason = refuse_linear_attention("linear_attention", point); !reason.empty()) return reason;
  if (options.chunk != linear_chunk) {
    return "--chunk " + std::to_string(options.chunk) + ": accepted is " + std::to_string(linear_chunk);
  }
  if (options.variant == Variant::scores) {
    if (problem.score_dtype != problem.dtype) {
      return "--score-dtype " + std::string(name_of(problem.score_dtype)) + ": accepted is " +
             std::string(name_of(problem.dtype)) + ", that of --dtype";
    }
    const Count most = most_keys_of_scores(problem.head_dim);
    constexpr std::string_view why = " with --variant scores, which keeps K, then V, of a stream on chip";
    if (auto reason = unless_at_most("--seq-k", problem.seq_k, most, why)) return reason;
  }
  return grid_too_large(problem.streams());
}

}  // namespace tilemeter::kernels
