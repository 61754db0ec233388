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

const HardwareCandidate* candidate_of(const TuneResult& result, const Tiling& tiling) {
  for (const HardwareCandidate& candidate : result.candidates) {
    const Tiling& other = candidate.tiling;
    if (other.block_q == tiling.block_q && other.block_k == tiling.block_k && other.stages == tiling.stages)
      return &candidate;
  }
  return nullptr;
}

/// The time that ranks, whose it is, and that of the closed form.
void add_ranked_time(Json& json, const HardwareCandidate& candidate) {
  if (!candidate.seconds) return;
  json["time"] = {{"seconds", candidate.simulated.value_or(*candidate.seconds)},
                  {"source", candidate.simulated ? "engine" : "closed form"},
                  {"closed_form_seconds", *candidate.seconds}};
}

void add_block(Json& json, const BlockOnDevice& block, const std::optional<std::string>& grid) {
  json["warps"] = block.warps;
  json["accumulator_registers_per_thread"] = block.registers.accumulators_per_thread;
  json["registers_per_thread_limit"] = block.registers.limit;
  json["spills"] = block.spills;
  json["resident_blocks"] = block.occupancy.blocks;
  json["launchable"] = !grid;
}

/// What a kernel of this tiling would suffer, in sentences.
Json warnings_json(const BlockOnDevice& block, const std::optional<std::string>& grid) {
  Json warnings = Json::array();
  if (block.spills) {
    warnings.push_back("likely to spill registers: " + std::to_string(block.registers.accumulators_per_thread) +
                       " accumulators a thread of " + std::to_string(block.warps) + " warps and about " +
                       std::to_string(registers_beside_accumulators) + " other registers pass the limit of " +
                       std::to_string(block.registers.limit));
  }
  if (grid) warnings.push_back("cannot be launched: " + *grid);
  return warnings;
}

Json best_json(const TuneResult& result) {
  Json list = Json::array();
  for (const RankedTiling& ranked : result.ranked.best) {
    const Case point = result.with(ranked.tiling);
    const std::string_view name = result.point.request.algorithm->name;
    Json json = {{"rank", list.size() + 1}};
    add_sizes(json, result, ranked.tiling);
    json["traffic"] = traffic_json(closed_form(name, point).total());
    if (const auto* candidate = candidate_of(result, ranked.tiling)) add_ranked_time(json, *candidate);
    json["sram"] = memory_json(footprint_of(on_chip_tiles(name, point)), result.point.budget.placement);
    if (const auto block = result.block_of(ranked.tiling)) {
      const auto grid = result.grid_refusal_of(ranked.tiling);
      add_block(json, *block, grid);
      json["warnings"] = warnings_json(*block, grid);
    }
    list.push_back(std::move(json));
  }
  return list;
}

/// What the budget allows of what a front counts on chip.
std::optional<Count> capacity_of(const Budget& budget) {
  if (budget.elements) return budget.elements->value();
  return budget.bytes ? std::optional(budget.bytes->value()) : std::nullopt;
}

Json front_json(const TuneResult& result) {
  const std::optional<Count> capacity = capacity_of(result.point.budget);
  Json tilings = Json::array();
  for (const TilingCosts& costs : result.front.tilings) {
    Json json;
    add_sizes(json, result, costs.tiling);
    json["on_chip"] = costs.on_chip;
    json["traffic"] = costs.traffic;
    json["fits"] = !capacity || costs.on_chip <= *capacity;
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
  add_ranked_time(json, candidate);
  json["sram"] = memory_json(candidate.use, result.point.budget.placement);
  if (!candidate.block) return json;
  add_block(json, *candidate.block, result.grid_refusal_of(candidate.tiling));
  if (candidate.rejected()) json["resident_blocks"] = 0;
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
    if (!result.candidates.empty() && result.candidates.front().seconds) json["search"]["simulated"] = result.simulated;
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
