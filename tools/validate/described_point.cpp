#include "tools/validate/described_point.hpp"

#include <algorithm>
#include <string_view>

#include "model/quantity.hpp"
#include "model/suggest.hpp"
#include "tools/options/kernel_option.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/point_table.hpp"
#include "tools/resolve.hpp"

namespace tilemeter {
namespace {

/// The options by which a computation is named: of the problem and of single algorithms.
const std::vector<OptionSpec>& naming_options() {
  static const std::vector<OptionSpec> specs = [] {
    std::vector<OptionSpec> all;
    for (const PointOption& option : problem_options()) {
      if (option.spec.name() != "--algorithm" && option.spec.name() != "--segments") all.push_back(option.spec);
    }
    for (const OwnOption& own : own_options()) all.push_back(own.option.spec);
    return all;
  }();
  return specs;
}

std::string option_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

Arguments::Given given_option(const std::string& key, const std::string& value) {
  const std::string option = option_of(key);
  std::vector<std::string_view> names;
  for (const OptionSpec& spec : naming_options()) {
    if (spec.name() == option) {
      if (spec.value.empty() && !value.empty())
        throw InputError(key + ": found " + in_quotes(value) + "; expected true");
      if (!spec.value.empty() && value.empty())
        throw InputError(key + ": found true; expected " + std::string(spec.value));
      return {option, value};
    }
    names.push_back(spec.name());
  }
  throw InputError(key + ": no option of a problem is called " + option + suggestion(option, names) +
                   "; they are: " + joined(names));
}

PointRequest request_of(const KernelDescription& kernel, const NamedValues& values, const GivenTile& tile) {
  std::vector<Arguments::Given> options = {{"--algorithm", kernel.algorithm}};
  for (const auto& [key, value] : values) options.push_back(given_option(key, value));
  PointRequest request = point_grid(Arguments(std::move(options), {}), kernel.name, Several::one_but_algorithms)[0];
  request.block_q = tile.block_q;
  request.block_k = tile.block_k;
  request.block_d = tile.block_d.value_or(0);
  request.block_m = tile.block_m;
  request.block_n = tile.block_n;
  return request;
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_boolean() ? "" : value.dump();
}

/// Members of a point that are not options: they are chosen, say the same twice, or are the default in another form.
bool is_left_out(const std::string& key, const Json& value) {
  if (key == "split_slots" || key == "window_left" || key == "window_right") return true;
  if (key == "group_size" || key == "side_inputs") return value == 0;
  return value.is_null() || (value.is_boolean() && !value.get<bool>());
}

void add_members(const Json& object, NamedValues& values) {
  for (const auto& [key, value] : object.items()) {
    if (!is_left_out(key, value)) values.emplace_back(key, value_text(value));
  }
}

std::optional<Count> size_in(const Json& tiling, const char* key) {
  const auto size = tiling.find(key);
  if (size == tiling.end() || size->is_null()) return std::nullopt;
  return size->get<Count>();
}

}  // namespace

Observation described_observation(const std::string& source, const KernelDescription& kernel, const NamedValues& values,
                                  const GivenTile& tile) {
  Observation observation;
  observation.source = source;
  observation.kernel = kernel.name;
  const PointRequest request = request_of(kernel, values, tile);
  const BuildWish wish = wish_of(request);
  const KernelBuild& build = build_of(kernel, wish);
  observation.request = with_sizes(request, build);
  observation.request.overflowing = Overflowing::counted;  // what a block holds is the kernel's affair
  resolve(observation.request);
  observation.execution = build.execution;
  observation.execution.kernel = kernel.name;
  return observation;
}

NamedValues named_values(const Json& point) {
  const Json& problem = point.at("problem");
  NamedValues values;
  add_members(problem, values);
  for (auto& [key, value] : values) {
    if (key != "mask" || value != "window") continue;
    value += ":" + problem.at("window_left").dump() + ":" + problem.at("window_right").dump();
  }
  if (point.contains("options")) add_members(point.at("options"), values);
  return values;
}

GivenTile given_tile(const Json& point) {
  const auto tiling = point.find("tiling");
  if (tiling == point.end() || tiling->is_null()) return {};
  return {.block_q = size_in(*tiling, "block_q"),
          .block_k = size_in(*tiling, "block_k"),
          .block_d = size_in(*tiling, "block_d"),
          .block_m = size_in(*tiling, "block_m"),
          .block_n = size_in(*tiling, "block_n")};
}

}  // namespace tilemeter
