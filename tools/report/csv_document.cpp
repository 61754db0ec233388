#include "tools/report/csv_document.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "traces/csv.hpp"

namespace tilemeter {
namespace {

using Path = std::vector<std::string>;
using Row = std::vector<std::string>;

/// Objects of a point whose members are columns; of those that begin alike, the longer stands first.
const std::vector<std::pair<std::string_view, Path>>& objects() {
  static const std::vector<std::pair<std::string_view, Path>> all = {
      {"traffic_elements_", {"traffic", "elements"}},
      {"traffic_bytes_", {"traffic", "bytes"}},
      {"closed_form_elements_", {"closed_form", "elements"}},
      {"closed_form_bytes_", {"closed_form", "bytes"}},
      {"closed_form_", {"closed_form"}},
      {"operations_exp_", {"operations", "exp"}},
      {"operations_", {"operations"}},
      {"compulsory_", {"compulsory"}},
      {"problem_", {"problem"}},
      {"tiling_", {"tiling"}},
      {"options_", {"options"}},
      {"sram_", {"sram"}},
      {"time_bounds_", {"time", "bounds"}},
      {"time_", {"time"}},
      {"numeric_", {"numeric"}},
      {"device_", {"device"}}};
  return all;
}

/// "traffic_tensors_Q_read_elements" as {traffic, tensors, Q, read_elements}.
std::optional<Path> tensor_path(std::string_view column) {
  constexpr std::string_view prefix = "traffic_tensors_";
  if (!column.starts_with(prefix)) return std::nullopt;
  column.remove_prefix(prefix.size());
  for (const std::string_view ending : {"_read_elements", "_write_elements", "_read_bytes", "_write_bytes"}) {
    if (column.size() <= ending.size() || !column.ends_with(ending)) continue;
    const std::string_view tensor = column.substr(0, column.size() - ending.size());
    return Path{"traffic", "tensors", std::string(tensor), std::string(ending.substr(1))};
  }
  return std::nullopt;
}

Path path_of(std::string_view column) {
  if (const auto tensor = tensor_path(column)) return *tensor;
  for (const auto& [prefix, object] : objects()) {
    if (!column.starts_with(prefix)) continue;
    Path path = object;
    path.emplace_back(column.substr(prefix.size()));
    return path;
  }
  return {std::string(column)};
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 7> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      quoted += code.data();
    } else {
      quoted += c;
    }
  }
  return quoted.append("\"");
}

/// Whether `text` is a JSON number: digits without a leading zero, then perhaps a fraction and an exponent.
bool is_number(std::string_view text) {
  const auto digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  const auto take = [&](std::string_view any) {
    const bool found = !text.empty() && any.find(text.front()) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  take("-");
  const bool leading_zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  if (take(".") && digits() == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

/// The JSON of a cell: numbers and truth values as they stand, everything else and the named texts as strings.
std::string json_scalar(const std::string& leaf, const std::string& cell) {
  constexpr std::array texts = {"algorithm", "reason",     "device", "name",      "mask",
                                "dtype",     "stat_dtype", "rule",   "expression"};
  if (std::find(texts.begin(), texts.end(), leaf) != texts.end()) return json_string(cell);
  return cell == "true" || cell == "false" || is_number(cell) ? cell : json_string(cell);
}

/// An object in the making: members by name, or the JSON of a scalar.
struct Tree {
  std::map<std::string, Tree> members;
  std::string scalar;

  void put(const Path& path, std::string json) {
    Tree* place = this;
    for (const std::string& key : path) place = &place->members[key];
    place->scalar = std::move(json);
  }
  std::string json() const {
    if (members.empty()) return scalar;
    std::string text;
    for (const auto& [key, member] : members) {
      text.append(text.empty() ? "{" : ",").append(json_string(key)).append(":").append(member.json());
    }
    return text.append("}");
  }
};

/// The JSON of one row; empty cells give no key.
std::string point_of(const std::vector<Path>& columns, const Row& row) {
  Tree point;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!row[i].empty()) point.put(columns[i], json_scalar(columns[i].back(), row[i]));
  }
  return point.members.empty() ? "{}" : point.json();
}

std::vector<Path> heading_of(CsvReader& reader) {
  const Row names = reader.record();
  if (std::find(names.begin(), names.end(), "algorithm") == names.end()) {
    throw InputError("report input: the CSV has no column \"algorithm\"; the CSV of count or of sweep is accepted");
  }
  std::vector<Path> columns;
  for (const std::string& name : names) columns.push_back(path_of(name));
  return columns;
}

}  // namespace

std::string document_of_csv(std::string_view csv) {
  CsvReader reader(csv, "report input");
  const std::vector<Path> columns = heading_of(reader);
  std::string points;
  while (!reader.done()) {
    const std::size_t line = reader.line();
    const Row row = reader.record();
    if (row.size() != columns.size()) {
      reader.refuse(line,
                    "has " + std::to_string(row.size()) + " cells; the heading has " + std::to_string(columns.size()));
    }
    points.append(points.empty() ? "" : ",").append(point_of(columns, row));
  }
  return R"({"schema":1,"command":"sweep","version":"unknown","points":[)" + points + "]}";
}

}  // namespace tilemeter
