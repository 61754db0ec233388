#include "kernels/weight_layer.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

#include "kernels/catalog.hpp"

namespace tilemeter::kernels {
namespace {

/// Coordinates have 32 bits, and loops go one tile too far.
constexpr Count largest = std::numeric_limits<std::int32_t>::max() - 1023;

std::string given(std::string_view option, Count value) { return std::string(option) + " " + std::to_string(value); }

std::optional<std::string> unless_copied(std::string_view option, Count size, Count whole) {
  if (size % whole != 0) return given(option, size) + ": accepted are multiples of " + std::to_string(whole);
  if (size > largest) return given(option, size) + ": at most " + std::to_string(largest);
  return std::nullopt;
}

std::optional<std::string> unless_weights_are(WeightType accepted, const Case& point) {
  const WeightType type = point.options.weight_type;
  if (type == accepted) return std::nullopt;
  return "--weight-dtype " + std::string(name_of(dtype_of(type))) + ": accepted is " +
         std::string(name_of(dtype_of(accepted)));
}

std::optional<std::string> refusal_of_sizes(const Case& point, Count whole_d_in) {
  const auto& [tokens, d_in, d_out] = std::tie(point.shapes.tokens, point.shapes.d_in, point.shapes.d_out);
  if (auto reason = unless_copied("--tokens", tokens, 1)) return reason;
  if (auto reason = unless_copied("--d-in", d_in, whole_d_in)) return reason;
  if (auto reason = unless_copied("--d-out", d_out, 8)) return reason;
  return grid_too_large(named("the grid", [&] {
    const Count tiles =
        checked::multiply(ceil_div(tokens, point.tiling.block_m), ceil_div(d_out, point.tiling.block_n));
    return checked::multiply(checked::multiply(tiles, WeightLayout::most_splits), point.problem.batch);
  }));
}

/// Steps that a block cannot share with another one.
Count steps_together(const Case& point) {
  const Count group = point.options.group_size, step = point.tiling.block_k;
  return group > step && group < point.shapes.d_in ? group / step : 1;
}

}  // namespace

const KernelTiling& preferred_weight_tiling(std::span<const KernelTiling> tilings, const Shapes& shapes) {
  const auto rank = [&](const KernelTiling& tiling) {
    return std::pair(ceil_div(shapes.tokens, tiling.block_m), tiling.block_m);
  };
  return *std::min_element(tilings.begin(), tilings.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

WeightSplit weight_split(const Case& point, Count sms) {
  const Shapes& shapes = point.shapes;
  const Count tiles = point.problem.batch * ceil_div(shapes.tokens, point.tiling.block_m) *
                      ceil_div(shapes.d_out, point.tiling.block_n);
  const Count together = steps_together(point);
  const Count units = ceil_div(ceil_div(shapes.d_in, point.tiling.block_k), together);
  WeightSplit best{};
  double least = std::numeric_limits<double>::infinity();
  for (Count splits = 1; splits <= std::min(WeightLayout::most_splits, units); splits *= 2) {
    const Count each = ceil_div(units, splits);
    // Waves of blocks, each as long as its steps and what a block costs beside them.
    constexpr double beside = 4;
    const double time =
        static_cast<double>(ceil_div(tiles * splits, sms)) * (static_cast<double>(each * together) + beside);
    if (time >= least) continue;
    least = time;
    best = {.splits = splits, .steps = each * together};
  }
  return best;
}

std::optional<std::string> refusal_of_weight_layer(const Case& point) {
  if (auto reason = unless_weights_are(WeightType::bf16, point)) return reason;
  return refusal_of_sizes(point, 8);
}

std::optional<std::string> refusal_of_weight_layer_int8(const Case& point) {
  if (auto reason = unless_weights_are(WeightType::int8, point)) return reason;
  const Count group = point.options.group_size, step = point.tiling.block_k, d_in = point.shapes.d_in;
  const bool divides = group >= 16 && step % std::max<Count>(group, 1) == 0 && d_in >= step;
  if (group != 0 && group < d_in && group % step != 0 && !divides) {
    return given("--group-size", group) + ": accepted are 0, --d-in and more, multiples of " + std::to_string(step) +
           ", and, from --d-in " + std::to_string(step) + " on, its divisors from 16 on";
  }
  return refusal_of_sizes(point, 16);
}

}  // namespace tilemeter::kernels
