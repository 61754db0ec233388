#include "tools/tune/csv.hpp"

#include <array>

#include "tools/options/text.hpp"
#include "tools/output/columns.hpp"
#include "traces/csv.hpp"

namespace tilemeter {
namespace {

/// Paths in a result, then in one of its tilings, with '/' between their parts.
constexpr std::array result_paths = {"algorithm",
                                     "problem/seq_q",
                                     "problem/seq_k",
                                     "problem/head_dim",
                                     "problem/mask",
                                     "problem/dtype",
                                     "device",
                                     "budget/owner",
                                     "budget/placement",
                                     "budget/capacity_elements",
                                     "budget/capacity_bytes"};
constexpr std::array tiling_paths = {"rank",
                                     "block_m",
                                     "block_n",
                                     "block_q",
                                     "block_k",
                                     "block_d",
                                     "stages",
                                     "warps",
                                     "feasible",
                                     "reason",
                                     "traffic/elements",
                                     "traffic/bytes",
                                     "time/seconds",
                                     "time/source",
                                     "time/closed_form_seconds",
                                     "sram/elements",
                                     "sram/bytes",
                                     "sram/shared_bytes",
                                     "sram/register_bytes",
                                     "accumulator_registers_per_thread",
                                     "registers_per_thread_limit",
                                     "spills",
                                     "resident_blocks",
                                     "launchable"};

std::string cell(const Json& json, std::string_view path) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(path, '/')) parts.emplace_back(part);
  const Json* value = find_path(json, parts);
  if (value == nullptr || value->is_null()) return "";
  return csv_cell(value->is_string() ? value->get<std::string>() : value->dump());
}

template <class Paths>
std::string cells(const Json& json, const Paths& paths) {
  std::string line;
  for (const std::string_view path : paths) line += cell(json, path) + ",";
  return line;
}

std::string heading() {
  std::string line;
  const auto add = [&](std::string_view path) {
    for (const char c : path) line += c == '/' ? '_' : c;
    line += ',';
  };
  for (const std::string_view path : result_paths) add(path);
  add("list");
  for (const std::string_view path : tiling_paths) add(path);
  line.back() = '\n';
  return line;
}

std::string rows(const Json& result, std::string_view list, const Json& tilings) {
  const std::string owner = cells(result, result_paths) + std::string(list) + ",";
  std::string text;
  for (const Json& tiling : tilings) {
    text += owner + cells(tiling, tiling_paths);
    text.back() = '\n';
  }
  return text;
}

/// The tilings of the front with their costs where the other lists have them.
Json front_tilings(const Json& front) {
  const std::string unit = front["unit"];
  const std::string place = front["on_chip"] == "shared memory" ? "shared_bytes" : unit;
  Json list = front["tilings"];
  for (Json& tiling : list) {
    tiling["sram"] = {{place, tiling["on_chip"]}};
    tiling["traffic"] = Json{{unit, tiling["traffic"]}};
    tiling["feasible"] = tiling["fits"];
  }
  return list;
}

}  // namespace

std::string tune_csv(const Json& document) {
  std::string text = heading();
  for (const Json& result : document["results"]) {
    text += rows(result, "best", result["best"]);
    text += rows(result, "front", front_tilings(result["front"]));
    text += rows(result, "candidate", result["candidates"]);
  }
  return text;
}

}  // namespace tilemeter
