#include "model/launch_grid.hpp"

#include <algorithm>

#include "model/closed_form/split_kv.hpp"
#include "model/split_heuristic.hpp"

namespace tilemeter {
namespace {

constexpr std::array<GridAxis, 3> axes = {GridAxis::x, GridAxis::y, GridAxis::z};

constexpr std::string_view heads_axis = "heads";
constexpr std::string_view batch_axis = "batch";
constexpr std::string_view streams_axis = "batch x heads";

Count heads_of(const Problem& problem) { return problem.packing == Packing::packed ? problem.kv_heads : problem.heads; }

Count query_tiles(const Case& point) { return ceil_div(point.problem.rows(), point.tiling.block_q); }
Count key_tiles(const Case& point) { return ceil_div(point.problem.seq_k, point.tiling.block_k); }

Count head_tiles(const Case& point) {
  return point.tiling.block_d == 0 ? 1 : ceil_div(point.problem.head_dim_v, point.tiling.block_d);
}

KernelGrid flash1(const Case& point) {
  return {.size = {point.problem.batch, heads_of(point.problem), point.options.row_splits},
          .counts = {batch_axis, heads_axis, "row splits"}};
}

KernelGrid flash2(const Case& point) {
  return {.size = {query_tiles(point), point.problem.batch, heads_of(point.problem)},
          .counts = {"query tiles", batch_axis, heads_axis}};
}

KernelGrid split_kv(const Case& point) {
  return {.size = {query_tiles(point), splits_of(point), point.problem.streams()},
          .counts = {"query tiles", "splits", streams_axis}};
}

KernelGrid combine(const Case& point) {
  const Count tiles = ceil_div(point.problem.rows(), combine_block_rows(point.problem));
  return {.size = {checked::multiply(tiles, point.problem.streams()), 1, 1},
          .counts = {"row tiles x streams", "1", "1"}};
}

/// A block a head, which walks all query tiles.
KernelGrid zigzag(const Case& point) {
  return {.size = {1, point.problem.batch, heads_of(point.problem)}, .counts = {"1", batch_axis, heads_axis}};
}

KernelGrid scores(const Case& point) {
  return {.size = {key_tiles(point), query_tiles(point), point.problem.streams()},
          .counts = {"key tiles", "query tiles", streams_axis}};
}

KernelGrid softmax(const Case& point) {
  return {.size = {query_tiles(point), 1, point.problem.streams()}, .counts = {"query tiles", "1", streams_axis}};
}

KernelGrid output(const Case& point) {
  return {.size = {head_tiles(point), query_tiles(point), point.problem.streams()},
          .counts = {"head-dimension tiles", "query tiles", streams_axis}};
}

/// One stated mapping; an empty kernel stands for every kernel of the algorithm.
struct Mapping {
  std::string_view algorithm;
  std::string_view kernel;
  KernelGrid (*grid)(const Case&);
};

constexpr std::array mappings = {
    Mapping{"flash1", "", flash1},
    Mapping{"flash2", "", flash2},
    Mapping{"flash3", "", flash2},
    Mapping{"split_kv", "split_kv", split_kv},
    Mapping{"split_kv", "combine", combine},
    Mapping{"zigzag", "", zigzag},
    Mapping{"standard_tiled", "scores", scores},
    Mapping{"standard_tiled", "softmax", softmax},
    Mapping{"standard_tiled", "output", output},
};

}  // namespace

std::string_view name_of(GridAxis axis) {
  switch (axis) {
    case GridAxis::x:
      return "x";
    case GridAxis::y:
      return "y";
    case GridAxis::z:
      return "z";
  }
  return "";
}

Count LaunchGrid::blocks() const {
  return named("the number of blocks", [&] { return checked::multiply(checked::multiply(x, y), z); });
}

Count limit_of(GridAxis axis) { return axis == GridAxis::x ? 2147483647 : 65535; }

std::optional<GridAxis> axis_past_limit(const LaunchGrid& grid) {
  for (const GridAxis axis : axes) {
    if (grid.along(axis) > limit_of(axis)) return axis;
  }
  return std::nullopt;
}

std::string KernelGrid::mapping() const {
  if (counts.front().empty()) return "";
  std::string text;
  for (const std::string_view count : counts) text += (text.empty() ? "(" : ", ") + std::string(count);
  return text + ")";
}

std::optional<KernelGrid> launch_grid(std::string_view algorithm, std::string_view kernel, const Case& point) {
  const auto mapping = std::find_if(mappings.begin(), mappings.end(), [&](const Mapping& m) {
    return m.algorithm == algorithm && (m.kernel.empty() || m.kernel == kernel);
  });
  if (mapping == mappings.end()) return std::nullopt;
  return named("the grid", [&] { return mapping->grid(point); });
}

std::optional<std::string> grid_refusal(const KernelGrid& grid) {
  const auto axis = axis_past_limit(grid.size);
  if (!axis) return std::nullopt;
  const std::string_view what = grid.counts[static_cast<std::size_t>(*axis)];
  std::string text = "grid." + std::string(name_of(*axis)) + ": " + (what.empty() ? "" : std::string(what) + " ") +
                     std::to_string(grid.size.along(*axis)) + " > " + std::to_string(limit_of(*axis));
  if (what == heads_axis) text += "; is the layout (B, H, N, d) mixed up with (B, N, H, d)?";
  return text;
}

}  // namespace tilemeter
