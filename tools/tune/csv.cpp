#include "tools/tune/csv.hpp"

#include "tools/output/columns.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view result_paths =
    "algorithm problem/seq_q problem/seq_k problem/head_dim problem/mask problem/dtype device budget/owner "
    "budget/placement budget/capacity_elements budget/capacity_bytes";
constexpr std::string_view tiling_paths =
    "rank block_m block_n block_q block_k block_d stages warps feasible reason traffic/elements traffic/bytes "
    "time/seconds time/source time/closed_form_seconds sram/elements sram/bytes sram/shared_bytes sram/register_bytes "
    "accumulator_registers_per_thread "
    "registers_per_thread_limit spills resident_blocks launchable";

const std::vector<Column>& result_columns() {
  static const std::vector<Column> columns = columns_of(result_paths);
  return columns;
}

const std::vector<Column>& tiling_columns() {
  static const std::vector<Column> columns = columns_of(tiling_paths);
  return columns;
}

/// Rows of the tilings of one list: what their result has, the list's name, what each has.
void add_rows(Json& rows, const Json& result, std::string_view list, const Json& tilings) {
  Json owner = row_of(result, result_columns());
  owner.push_back(list);
  for (const Json& tiling : tilings) {
    Json row = owner;
    for (Json& value : row_of(tiling, tiling_columns())) row.push_back(std::move(value));
    rows.push_back(std::move(row));
  }
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

std::string line_of(const Json& row) {
  std::string line;
  for (const Json& value : row) line += csv_cell_of(&value) + ",";
  line.back() = '\n';
  return line;
}

}  // namespace

Json tune_table(const Json& document) {
  Json table{{"columns", names_of(result_columns())}, {"rows", Json::array()}};
  table["columns"].push_back("list");
  for (Json& name : names_of(tiling_columns())) table["columns"].push_back(std::move(name));
  for (const Json& result : document["results"]) {
    add_rows(table["rows"], result, "best", result["best"]);
    add_rows(table["rows"], result, "front", front_tilings(result["front"]));
    add_rows(table["rows"], result, "candidate", result["candidates"]);
  }
  return table;
}

std::string tune_csv(const Json& document) {
  const Json table = tune_table(document);
  std::string text = line_of(table["columns"]);
  for (const Json& row : table["rows"]) text += line_of(row);
  return text;
}

}  // namespace tilemeter
