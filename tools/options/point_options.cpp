#include "tools/options/point_options.hpp"

#include <algorithm>

#include "sim/catalog.hpp"
#include "tools/log.hpp"
#include "tools/options/contradictions.hpp"
#include "tools/options/needed_sizes.hpp"
#include "tools/options/point_table.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

const PointOption* find_option(std::string_view name) {
  const auto is_it = [&](const PointOption& option) { return option.spec.name() == name; };
  for (const auto options : {problem_options(), machine_options()}) {
    const auto found = std::find_if(options.begin(), options.end(), is_it);
    if (found != options.end()) return &*found;
  }
  for (const OwnOption& own : own_options()) {
    if (is_it(own.option)) return &own.option;
  }
  return nullptr;
}

/// Every algorithm of --algorithm.
std::vector<const Algorithm*> algorithms_of(const Arguments& arguments, std::string_view who) {
  const auto text = arguments.find("--algorithm");
  if (!text) throw InputError(std::string(who) + " needs --algorithm NAME; `tilemeter algorithms` lists the names");
  const Axis axis = find_option("--algorithm")->make("--algorithm", *text, arguments);
  std::vector<const Algorithm*> found;
  for (std::size_t i = 0; i < axis.size; ++i) {
    PointRequest request;
    axis.apply(request, i);
    found.push_back(request.algorithm);
  }
  return found;
}

std::string takers(std::string_view option) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (has_word(algorithm.options, option)) names.push_back(algorithm.name);
  }
  return names.empty() ? "no algorithm takes it" : "it belongs to " + join(names);
}

void refuse_foreign(const Arguments& arguments, const std::vector<const Algorithm*>& algorithms) {
  for (const OwnOption& own : own_options()) {
    const std::string_view option = own.option.spec.name();
    const auto takes = [&](const Algorithm* algorithm) { return has_word(algorithm->options, option); };
    if (!arguments.has(option) || std::any_of(algorithms.begin(), algorithms.end(), takes)) continue;
    std::vector<std::string_view> names;
    for (const Algorithm* algorithm : algorithms) names.push_back(algorithm->name);
    throw InputError(std::string(option) + " is not an option of " + join(names) + ": " + takers(option));
  }
}

bool may_be_many(std::string_view option, Several several) {
  const bool is_budget = option == "--sram" || option == "--device";
  return several == Several::many || option == "--algorithm" || (several == Several::one_problem && is_budget);
}

}  // namespace

std::span<const OptionSpec> point_option_specs() {
  static const std::vector<OptionSpec> specs = [] {
    std::vector<OptionSpec> all;
    for (const PointOption& option : problem_options()) all.push_back(option.spec);
    for (const PointOption& option : machine_options()) all.push_back(option.spec);
    for (const OwnOption& own : own_options()) all.push_back(own.option.spec);
    return all;
  }();
  return specs;
}

PointGrid point_grid(const Arguments& arguments, std::string_view who, Several several) {
  const std::vector<const Algorithm*> algorithms = algorithms_of(arguments, who);
  refuse_sequence_options(arguments, algorithms);
  require_sizes(arguments, algorithms, who);
  refuse_contradictions(arguments, algorithms);
  std::vector<Axis> axes;
  for (const Arguments::Given& given : arguments.options()) {
    const PointOption* option = find_option(given.option);
    if (option == nullptr || option->make == nullptr) continue;
    axes.push_back(option->make(given.option, given.value, arguments));
    if (axes.back().size > 1 && !may_be_many(given.option, several)) {
      throw InputError(quote(given.option, given.value) + " stands for " + std::to_string(axes.back().size) +
                       " values: " + std::string(who) + " takes one, `tilemeter sweep` takes lists and ranges");
    }
  }
  refuse_foreign(arguments, algorithms);
  for (const Axis& axis : axes) {
    if (axis.size > 1) log_detail(axis.option + ": " + std::to_string(axis.size) + " values");
  }
  PointGrid grid(std::move(axes));
  log_info(std::to_string(grid.size()) + (grid.size() == 1 ? " point" : " points"));
  return grid;
}

}  // namespace tilemeter
