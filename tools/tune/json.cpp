#include "tools/tune/json.hpp"

#include <algorithm>

#include "model/bound.hpp"
#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "sim/catalog.hpp"
#include "tools/tune/emission.hpp"

namespace tilemeter {
namespace {

void add_sizes(Json& json, const TuneResult& result, const Tiling& tiling) {
  const Problem& problem = result.point.problem;
  if (result.point.request.algorithm->order() == LoopOrder::product) {
    json["block_m"] = tiling.block_m;
    json["block_n"] = tiling.block_n;
    json["block_k"] = tiling.block_k;
    return;
  }
  json["block_q"] = tiling.block_q;
  json["block_k"] = tiling.block_k;
  if (result.point.request.algorithm->order() == LoopOrder::gemm) {
    json["block_d"] = tiling.block_d == 0 ? std::max(problem.head_dim, problem.head_dim_v) : tiling.block_d;
  }
  json["stages"] = tiling.stages;
}

Json traffic_json(const Traffic& traffic) {
  return {{"elements", traffic.total().value()}, {"bytes", traffic.total_bytes().value()}};
}

Json memory_json(const Footprint& use, Placement placement) {
  Json json = {{"elements", use.elements.value()}, {"bytes", use.bytes().value()}};
  if (placement == Placement::gpu) {
    json["shared_bytes"] = use.shared.value();
    json["register_bytes"] = use.registers.value();
  }
  return json;
}

Json budget_json(const Budget& budget) {
  const auto value = [](const auto& amount) { return amount ? Json(amount->value()) : Json(nullptr); };
  Json json = {{"owner", budget.owner},
               {"placement", budget.placement == Placement::gpu ? "gpu" : "sram"},
               {"capacity_elements", value(budget.elements)},
               {"capacity_bytes", value(budget.bytes)}};
  if (budget.placement == Placement::gpu) json["capacity_register_bytes"] = value(budget.registers);
  return json;
}

std::optional<double> seconds_of(const TuneResult& result, const Tiling& tiling) {
  for (const HardwareCandidate& candidate : result.candidates) {
    const Tiling& other = candidate.tiling;
    if (other.block_q == tiling.block_q && other.block_k == tiling.block_k && other.stages == tiling.stages)
      return candidate.seconds;
  }
  return std::nullopt;
}

Json best_json(const TuneResult& result) {
  Json list = Json::array();
  for (const RankedTiling& ranked : result.ranked.best) {
    const Case point = result.with(ranked.tiling);
    const std::string_view name = result.point.request.algorithm->name;
    Json json = {{"rank", list.size() + 1}};
    add_sizes(json, result, ranked.tiling);
    json["traffic"] = traffic_json(closed_form(name, point).total());
    if (const auto seconds = seconds_of(result, ranked.tiling)) json["time"] = {{"seconds", *seconds}};
    json["sram"] = memory_json(footprint_of(on_chip_tiles(name, point)), result.point.budget.placement);
    list.push_back(std::move(json));
  }
  return list;
}

Json front_json(const TuneResult& result) {
  Json tilings = Json::array();
  for (const TilingCosts& costs : result.front.tilings) {
    Json json;
    add_sizes(json, result, costs.tiling);
    json["on_chip"] = costs.on_chip;
    json["traffic"] = costs.traffic;
    tilings.push_back(std::move(json));
  }
  const Budget& budget = result.point.budget;
  return {{"unit", budget.elements ? "elements" : "bytes"},
          {"on_chip", budget.placement == Placement::gpu ? "shared memory" : "every tile"},
          {"complete", result.front.complete},
          {"tilings", std::move(tilings)}};
}

Json candidate_json(const TuneResult& result, const HardwareCandidate& candidate) {
  Json json;
  add_sizes(json, result, candidate.tiling);
  json["feasible"] = !candidate.rejected();
  json["reason"] = candidate.rejected() ? Json(candidate.reason) : Json(nullptr);
  if (candidate.traffic) json["traffic"] = traffic_json(*candidate.traffic);
  if (candidate.seconds) json["time"] = {{"seconds", *candidate.seconds}};
  json["sram"] = memory_json(candidate.use, result.point.budget.placement);
  if (!candidate.registers) return json;
  json["warps"] = candidate.warps;
  json["accumulator_registers_per_thread"] = candidate.registers->accumulators_per_thread;
  json["registers_per_thread_limit"] = candidate.registers->limit;
  json["spills"] = candidate.spills;
  json["resident_blocks"] = candidate.rejected() ? 0 : candidate.occupancy->blocks;
  return json;
}

Json candidates_json(const TuneResult& result) {
  Json list = Json::array();
  for (const HardwareCandidate& candidate : result.candidates) list.push_back(candidate_json(result, candidate));
  return list;
}

/// The largest lower bound that holds for what the best tiling has on chip: all of a budget in elements, else its
/// tiles.
Json bound_json(const TuneResult& result) {
  const PointResult& point = result.point;
  const std::string_view name = point.request.algorithm->name;
  const Case tiled = result.with(*point.tiling);
  const Elements on_chip = point.budget.elements ? *point.budget.elements : most_elements_on_chip(name, tiled);
  const LowerBound bound = best_of(bounds_of(name, tiled, point.closed, on_chip));
  const auto least = static_cast<double>(bound.least.value());
  return {
      {"name", bound.description->name},
      {"statement", bound.description->statement},
      {"on_chip_elements", on_chip.value()},
      {"elements", bound.least.value()},
      {"ratio", least > 0 ? Json(static_cast<double>(point.closed.total().total().value()) / least) : Json(nullptr)}};
}

std::string_view order_name(LoopOrder order) {
  switch (order) {
    case LoopOrder::kv_outer:
      return "K/V outer";
    case LoopOrder::q_outer:
      return "Q outer";
    case LoopOrder::gemm:
    case LoopOrder::product:
    case LoopOrder::outer_product:
      return "GEMM tiles";
    default:
      return "other";
  }
}

}  // namespace

Json tune_json(const TuneResult& result) {
  const Json point = point_json(result.point, Feasibility::stated);
  Json json;
  for (const char* key : {"algorithm", "problem", "device", "options"}) {
    if (point.contains(key)) json[key] = point[key];
  }
  json["order"] = order_name(result.point.request.algorithm->order());
  json["budget"] = budget_json(result.point.budget);
  json["feasible"] = point["feasible"];
  json["reason"] = point["reason"];
  if (!result.point.refusal) {
    json["compulsory"] = traffic_json(result.point.compulsory.total());
    json["lower_bound"] = bound_json(result);
    json["search"] = {{"tried", result.ranked.tried}, {"exhaustive", result.ranked.exhaustive}};
  }
  json["best"] = best_json(result);
  json["front"] = front_json(result);
  json["candidates"] = candidates_json(result);
  json["triton"] = triton_configs(result);
  json["cutlass"] = cutlass_shapes(result);
  return json;
}

Json tune_document(const Arguments& arguments, const std::vector<TuneResult>& results, TuneBy by) {
  Json document = document_json("tune", arguments);
  document["by"] = by == TuneBy::time ? "time" : "traffic";
  document["results"] = Json::array();
  for (const TuneResult& result : results) document["results"].push_back(tune_json(result));
  return document;
}

}  // namespace tilemeter
