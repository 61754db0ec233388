#include "tools/tune/cells.hpp"

#include <algorithm>
#include <array>

namespace tilemeter {
namespace {

using tables::Cell;
using tables::Table;

constexpr std::array size_names = {"block_m", "block_n", "block_q", "block_k", "block_d"};

/// Whether the engine ran any of `list`.
bool any_simulated(const Json& list) {
  return std::any_of(list.begin(), list.end(), [](const Json& tiling) {
    return tiling.contains("time") && tiling["time"]["source"] == "engine";
  });
}

Cell microsecond_cell(const Json& seconds) { return tables::Decimal{seconds.get<double>() * 1e6, 1}; }

/// "128x64".
std::string tiling_name(const Json& tiling) {
  std::string text;
  for (const char* name : size_names) {
    if (tiling.contains(name)) text += (text.empty() ? "" : "x") + std::to_string(tiling[name].get<Count>());
  }
  return text;
}

}  // namespace

Cell tuned_cell(const Json& json, std::string_view key) {
  const auto found = json.find(std::string(key));
  if (found == json.end() || found->is_null()) return {};
  if (found->is_boolean()) return std::string(found->get<bool>() ? "yes" : "no");
  return found->is_string() ? Cell(found->get<std::string>()) : Cell(found->get<Count>());
}

void add_size_columns(Table& table, const Json& sample) {
  for (const char* name : size_names) {
    if (sample.contains(name)) table.columns.push_back({name, "rows"});
  }
  if (sample.contains("stages")) table.columns.push_back({"stages", ""});
}

std::vector<Cell> size_cells(const Json& tiling) {
  std::vector<Cell> cells;
  for (const char* name : size_names) {
    if (tiling.contains(name)) cells.push_back(tuned_cell(tiling, name));
  }
  if (tiling.contains("stages")) cells.push_back(tuned_cell(tiling, "stages"));
  return cells;
}

void add_time_columns(Table& table, const Json& list) {
  if (!list.front().contains("time")) return;
  if (any_simulated(list)) table.columns.push_back({"simulated", "us"});
  table.columns.push_back({"closed form", "us"});
}

void add_time_cells(std::vector<Cell>& row, const Json& tiling, const Json& list) {
  if (!tiling.contains("time")) return;
  const Json& time = tiling["time"];
  if (any_simulated(list)) row.push_back(time["source"] == "engine" ? microsecond_cell(time["seconds"]) : Cell());
  row.push_back(microsecond_cell(time["closed_form_seconds"]));
}

Cell spills_cell(const Json& tiling) { return std::string(tiling["spills"] == true ? "likely" : "no"); }

void add_warning_notes(Table& table, const Json& list) {
  std::vector<std::pair<std::string, std::string>> notes;  // a warning, and who has it
  for (const Json& tiling : list) {
    for (const Json& warning : tiling["warnings"]) {
      const auto text = warning.get<std::string>();
      const auto known = std::find_if(notes.begin(), notes.end(), [&](const auto& note) { return note.first == text; });
      if (known == notes.end()) {
        notes.emplace_back(text, tiling_name(tiling));
      } else {
        known->second += ", " + tiling_name(tiling);
      }
    }
  }
  for (const auto& [text, who] : notes) table.notes.push_back(who + ": " + text);
}

}  // namespace tilemeter
