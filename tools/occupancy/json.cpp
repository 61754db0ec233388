#include "tools/occupancy/json.hpp"

#include <algorithm>

#include "sim/catalog.hpp"
#include "tools/json.hpp"
#include "tools/output/columns.hpp"

namespace tilemeter {
namespace {

constexpr Count register_bytes = 4;

Json count_or_null(const std::optional<Count>& count) { return count ? Json(*count) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// The part of a point's result that problem_json and tiling_json read.
PointResult point_of(const OccupancyRow& row) {
  PointResult point;
  point.request.algorithm = &find_algorithm(row.algorithm);
  point.problem = row.point->problem;
  point.shapes = row.point->shapes;
  point.options = row.point->options;
  if (!row.kernel.empty()) point.tiling = row.point->tiling;
  return point;
}

Json limiter_json(const OccupancyRow& row) {
  Json names = Json::array();
  for (const SmLimit limit : row.occupancy.limiters) names.push_back(name_of(limit));
  return names;
}

void add_blocks(Json& json, const OccupancyRow& row) {
  const Occupancy& occupancy = row.occupancy;
  json["resident_blocks"] = occupancy.blocks;
  json["limiter"] = row.reason ? Json(nullptr) : limiter_json(row);
  Json& share = json["occupancy"];
  share["warps"] = occupancy.warps();
  share["most_warps"] = row.device->sm.threads / warp_threads;
  share["percent"] = row.reason ? 0.0 : occupancy.percent();
  Json& by = json["blocks_by"];
  const bool known = !row.plan.tiles.empty();
  by["shared_memory"] = known ? count_or_null(occupancy.by_shared) : Json(nullptr);
  by["registers"] = known ? count_or_null(occupancy.by_registers) : Json(nullptr);
  by["warps"] = known ? Json(occupancy.by_warps) : Json(nullptr);
  by["blocks"] = row.device->sm.blocks;
}

void add_shared(Json& json, const OccupancyRow& row) {
  const Device::Sm& sm = row.device->sm;
  const bool known = !row.plan.tiles.empty();
  json["shared_bytes"] = known ? Json(row.use.shared.value()) : Json(nullptr);
  json["shared_limit_bytes"] = sm.shared_per_block.value();
  json["shared_default_bytes"] = sm.shared_default.value();
  json["shared_reserved_bytes"] = sm.shared_reserved.value();
  json["shared_per_sm_bytes"] = sm.shared_per_sm.value();
  json["needs_opt_in"] = known ? Json(row.occupancy.needs_opt_in) : Json(nullptr);
  const Count over = std::max(Count{0}, (row.use.shared - sm.shared_per_block).value());
  json["shared_over_bytes"] = known ? Json(over) : Json(nullptr);
}

std::string_view source_name(RegisterSource source) {
  switch (source) {
    case RegisterSource::unknown:
      return "unknown";
    case RegisterSource::accumulators:
      return "accumulators";
    case RegisterSource::given:
      return "given";
  }
  return "";
}

void add_registers(Json& json, const OccupancyRow& row) {
  const RegisterUse& use = row.registers;
  const bool known = !row.plan.tiles.empty();
  json["registers_per_thread"] = known ? count_or_null(use.per_thread) : Json(nullptr);
  json["registers_from"] = source_name(use.source);
  json["registers_per_thread_limit"] = use.limit;
  json["spills"] = known ? Json(use.spills()) : Json(nullptr);
  Json& accumulators = json["accumulators"];
  accumulators["bytes"] = known ? Json(use.accumulators.value()) : Json(nullptr);
  accumulators["bytes_per_warp"] =
      known ? Json(ceil_div(use.accumulators.value(), ceil_div(row.plan.threads, warp_threads))) : Json(nullptr);
  accumulators["registers_per_thread"] = known ? Json(use.accumulators_per_thread) : Json(nullptr);
  json["register_file_bytes"] = checked::multiply(row.device->sm.registers, register_bytes);
}

Json grid_json(const OccupancyRow& row) {
  if (!row.grid) return nullptr;
  const LaunchGrid& size = row.grid->size;
  const auto past = axis_past_limit(size);
  Json json;
  json["x"] = size.x;
  json["y"] = size.y;
  json["z"] = size.z;
  json["mapping"] = text_or_null(row.grid->mapping());
  json["launchable"] = !past;
  json["axis"] = past ? Json(name_of(*past)) : Json(nullptr);
  json["axis_limit"] = past ? Json(limit_of(*past)) : Json(nullptr);
  return json;
}

Json tiles_json(const OccupancyRow& row) {
  Json list = Json::array();
  for (const OnChipTile& tile : row.plan.tiles) {
    Json json;
    json["name"] = tile.name;
    json["space"] = tile.space == Space::shared ? "shared" : "registers";
    json["rows"] = tile.rows;
    json["cols"] = tile.cols;
    json["copies"] = tile.copies;
    json["dtype"] = name_of(tile.dtype);
    json["bytes"] = tile.bytes().value();
    list.push_back(std::move(json));
  }
  return list;
}

constexpr std::string_view csv_paths =
    "algorithm kernel layout problem/batch problem/heads problem/kv_heads problem/seq_q problem/seq_k "
    "problem/head_dim problem/head_dim_v problem/mask problem/window_left problem/window_right problem/dtype "
    "problem/m problem/n problem/k problem/tokens problem/d_in problem/d_out problem/weight_dtype problem/rows "
    "problem/cols problem/length problem/ops tiling/block_q tiling/block_k tiling/block_d tiling/block_m "
    "tiling/block_n "
    "tiling/order tiling/chunk_q tiling/chunk_k tiling/chunk tiling/stages "
    "tiling/rule device arch threads warps fits supported resident_blocks limiter occupancy/warps occupancy/most_warps "
    "occupancy/percent blocks_by/shared_memory blocks_by/registers blocks_by/warps blocks_by/blocks shared_bytes "
    "shared_limit_bytes shared_default_bytes shared_reserved_bytes shared_per_sm_bytes needs_opt_in shared_over_bytes "
    "registers_per_thread registers_from registers_per_thread_limit spills accumulators/bytes "
    "accumulators/bytes_per_warp accumulators/registers_per_thread register_file_bytes grid/x grid/y grid/z "
    "grid/mapping grid/launchable grid/axis grid/axis_limit reason";

}  // namespace

Json occupancy_json(const OccupancyRow& row) {
  Json json;
  if (row.layout.empty()) {
    json["algorithm"] = row.algorithm;
    json["kernel"] = text_or_null(row.kernel);
    const PointResult point = point_of(row);
    json["problem"] = problem_json(point);
    json["tiling"] = tiling_json(point);
  } else {
    json["layout"] = row.layout;
  }
  json["device"] = row.device->name;
  json["arch"] = row.device->arch;
  json["threads"] = row.plan.threads;
  json["warps"] = ceil_div(row.plan.threads, warp_threads);
  json["fits"] = !row.reason;
  json["supported"] = row.supported;
  json["reason"] = text_or_null(row.refusal().value_or(""));
  add_blocks(json, row);
  add_shared(json, row);
  add_registers(json, row);
  json["grid"] = grid_json(row);
  json["tiles"] = tiles_json(row);
  json["warnings"] = row.warnings;
  return json;
}

std::string occupancy_csv(const Json& rows) { return csv_of(rows, csv_paths); }

}  // namespace tilemeter
