#include "tools/complexity/document.hpp"

#include <cmath>

namespace tilemeter::complexity {
namespace {

Json end_of(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json accepted_json(const Accepted& accepted) { return {{"from", end_of(accepted.from)}, {"to", end_of(accepted.to)}}; }
Json variant_json(const Contender& contender) { return contender.variant ? Json(name_of(*contender.variant)) : Json(); }

Json figure_json(const Finding& finding) {
  return {{"algorithm", finding.contender.algorithm},
          {"variant", variant_json(finding.contender)},
          {"blocks", name_of(finding.contender.tiles)},
          {"figure", finding.figure},
          {"quantity", finding.quantity},
          {"where", finding.where},
          {"range", finding.range},
          {"points", finding.points},
          {"value", finding.value},
          {"half_width_95", optional_json(finding.half_width95)},
          {"residual_rms", optional_json(finding.residual_rms)},
          {"residual_max", optional_json(finding.residual_most)},
          {"accepted", accepted_json(finding.accepted)},
          {"ok", finding.holds()}};
}

Json figures_json(const std::vector<Finding>& findings) {
  Json figures = Json::array();
  for (const Finding& finding : findings) figures.push_back(figure_json(finding));
  return figures;
}

Json theorem_json(const Measured& measured) {
  const Theorem& theorem = *measured.theorem;
  return {
      {"name", theorem.name},           {"title", theorem.title},       {"source", theorem.source},
      {"statement", theorem.statement}, {"validity", theorem.validity}, {"edges", theorem.edges},
      {"verdict", measured.verdict()},  {"ok", measured.holds()},       {"figures", figures_json(measured.findings)}};
}

Json distance_json(const Distance& distance) {
  const bool feasible = distance.reason.empty();
  const bool tiled = distance.used.value() > 0;
  Json json = {{"algorithm", distance.contender.algorithm},
               {"blocks", name_of(distance.contender.tiles)},
               {"seq", distance.scale.seq},
               {"head_dim", distance.scale.head_dim},
               {"sram_elements", distance.scale.capacity},
               {"feasible", feasible},
               {"reason", feasible ? Json() : Json(distance.reason)}};
  json["block_q"] = tiled ? Json(distance.tiling.block_q) : Json();
  json["block_k"] = tiled ? Json(distance.tiling.block_k) : Json();
  json["used_elements"] = tiled ? Json(distance.used.value()) : Json();
  json["fits"] = tiled ? Json(distance.used.value() <= distance.scale.capacity) : Json();
  json["moved_elements"] = feasible ? Json(distance.moved.value()) : Json();
  json["bound"] = feasible ? Json(distance.bound.description->name) : Json();
  json["bound_elements"] = feasible ? Json(distance.bound.least.value()) : Json();
  json["ratio"] = feasible ? Json(distance.ratio()) : Json();
  json["ok"] = distance.holds();
  return json;
}

Json break_even_json(const BreakEven& found) {
  const bool exists = found.capacity.has_value();
  Json json = {{"algorithm", found.pair.challenger.algorithm},
               {"blocks", name_of(found.pair.challenger.tiles)},
               {"opponent", found.pair.opponent.algorithm},
               {"opponent_blocks", name_of(found.pair.opponent.tiles)},
               {"seq", found.seq},
               {"head_dim", found.head_dim},
               {"sram_elements", exists ? Json(*found.capacity) : Json()}};
  json["block_q"] = exists ? Json(found.tiling.block_q) : Json();
  json["block_k"] = exists ? Json(found.tiling.block_k) : Json();
  json["used_elements"] = exists ? Json(found.needed.value()) : Json();
  json["fits"] = exists ? Json(found.needed.value() <= *found.capacity) : Json();
  json["moved_elements"] = exists ? Json(found.moved.value()) : Json();
  json["opponent_elements"] = exists ? Json(found.opponent_moved.value()) : Json();
  return json;
}

Json crossover_json(const Crossover& crossover) {
  Json json = break_even_json(crossover.found);
  json["sram_over_d_squared"] = optional_json(crossover.ratio());
  json["accepted"] = accepted_json(crossover.accepted);
  json["ok"] = crossover.holds();
  return json;
}

template <class Items, class ToJson>
Json array_of(const Items& items, ToJson to_json) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(to_json(item));
  return array;
}

}  // namespace

Json document_of(const Arguments& arguments, const Answer& answer, const Inquiry& inquiry) {
  Json document = document_json("complexity", arguments);
  document["counted_by"] = "simulator";
  document["seed"] = inquiry.seed;
  document["theorems"] = array_of(answer.theorems, theorem_json);
  document["fits"] = figures_json(answer.fits);
  document["distances"] = array_of(answer.distances, distance_json);
  document["break_even"] = array_of(answer.break_evens, break_even_json);
  document["crossovers"] = array_of(answer.crossovers, crossover_json);
  return document;
}

std::vector<std::string> failures_of(const Json& document) {
  std::vector<std::string> failures;
  for (const Json& theorem : document.at("theorems")) {
    for (const Json& figure : theorem.at("figures")) {
      if (figure.at("ok").get<bool>()) continue;
      failures.push_back(theorem.at("name").get<std::string>() + ", " + figure.at("algorithm").get<std::string>() +
                         " (" + figure.at("blocks").get<std::string>() + "), " +
                         figure.at("figure").get<std::string>() + " of " + figure.at("quantity").get<std::string>() +
                         ", " + figure.at("where").get<std::string>() + ": " + figure.at("value").dump() +
                         " is not in " + figure.at("accepted").dump());
    }
  }
  for (const Json& distance : document.at("distances")) {
    if (distance.at("ok").get<bool>()) continue;
    failures.push_back(distance.at("algorithm").get<std::string>() + " at M = " + distance.at("sram_elements").dump() +
                       " moves " + distance.at("moved_elements").dump() + " elements, less than the bound of " +
                       distance.at("bound_elements").dump());
  }
  for (const Json& crossover : document.at("crossovers")) {
    if (crossover.at("ok").get<bool>()) continue;
    failures.push_back("crossover of " + crossover.at("algorithm").get<std::string>() + " (" +
                       crossover.at("blocks").get<std::string>() + ") at d = " + crossover.at("head_dim").dump() +
                       ": M / d^2 = " + crossover.at("sram_over_d_squared").dump() + " is not in " +
                       crossover.at("accepted").dump());
  }
  return failures;
}

}  // namespace tilemeter::complexity
