#include "tools/roofline/point_roofline.hpp"

#include "model/wide.hpp"
#include "tools/output/columns.hpp"

namespace tilemeter::roofline {
namespace {

Json value_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json seconds_or_null(const std::optional<Roofline>& roofline, const Cost& cost) {
  if (!roofline) return nullptr;
  const auto seconds = time_bound(*roofline, cost).seconds;
  return seconds ? Json(seconds->value) : Json(nullptr);
}

/// (query tile, key tile) pairs of the whole rectangle, over all streams.
Count all_tiles(const Problem& problem, const Tiling& tiling) {
  return named("all_tiles", [&] {
    const Wide pairs = Wide(ceil_div(problem.rows(), tiling.block_q)) * Wide(ceil_div(problem.seq_k, tiling.block_k));
    return (pairs * Wide(problem.streams())).narrow();
  });
}

/// FLOPs of the whole rectangle: as many a pair as the exact count has.
Count full_flops(const Problem& problem, Count pairs, Count pair_flops) {
  return named("full_flops", [&] {
    const Wide rectangle = Wide(problem.seq_q) * Wide(problem.seq_k) * Wide(problem.heads) * Wide(problem.batch);
    return (rectangle * Wide(pair_flops / pairs)).narrow();
  });
}

Json conventions(const PointResult& result, const Json& point) {
  const Json* pairs = find_path(point, {"operations", "pairs"});
  const Json* exact = find_path(point, {"operations", "pair_flops"});
  if (pairs == nullptr || exact == nullptr || pairs->get<Count>() == 0) return nullptr;
  const Count full = full_flops(result.problem, pairs->get<Count>(), exact->get<Count>());
  Json json;
  json["visited_flops"] = result.counted.matmul_flops.value();
  json["pair_flops"] = *exact;
  json["half_flops"] = full / 2;
  json["full_flops"] = full;
  json["visited_tiles"] = result.counted.tiles;
  if (result.tiling && result.tiling->block_q > 0 && result.counted.tiles > 0) {
    json["all_tiles"] = all_tiles(result.problem, *result.tiling);
  }
  return json;
}

}  // namespace

Cost cost_of(const PointResult& result) {
  return {.flops = result.counted.matmul_flops,
          .hbm = result.compulsory.total().total_bytes(),
          .l2 = result.counted.total().total_bytes()};
}

Json point_roofline(const PointResult& result, const Json& point, const Rooflines& rooflines) {
  const Cost cost = cost_of(result);
  const Roofline& roofline = rooflines.peak;
  const Bytes edge = cost.l2.value_or(cost.hbm);
  Json json;
  json["math_dtype"] = math_name(roofline.math);
  json["flops"] = cost.flops.value();
  json["hbm_bytes"] = cost.hbm.value();
  json["sm_edge_bytes"] = edge.value();
  json["hbm_intensity_flop_per_byte"] = value_or_null(intensity(cost.flops, cost.hbm));
  json["sm_edge_intensity_flop_per_byte"] = value_or_null(intensity(cost.flops, edge));
  json["hbm_ridge_flop_per_byte"] = value_or_null(roofline.ridge(MemoryLevel::hbm));
  json["l2_ridge_flop_per_byte"] = value_or_null(roofline.ridge(MemoryLevel::l2));
  json["attainable_share_of_peak"] = value_or_null(attainable_share(roofline, cost));
  json["peak_bound_seconds"] = seconds_or_null(roofline, cost);
  json["sustained_share"] = value_or_null(rooflines.share);
  json["sustained_bound_seconds"] = seconds_or_null(rooflines.sustained, cost);
  json["no_l2_hits_bound_seconds"] = seconds_or_null(roofline, {.flops = cost.flops, .hbm = edge});
  json["floor_seconds"] = roofline.floor.value_or(Seconds{}).value;
  json["binding"] = name_of(time_bound(roofline, cost).binding);
  const bool masked = result.problem.mask.kind != MaskKind::none && !result.request.segments;
  if (Json other = masked ? conventions(result, point) : Json(nullptr); !other.is_null()) {
    json["conventions"] = std::move(other);
  }
  return json;
}

}  // namespace tilemeter::roofline
