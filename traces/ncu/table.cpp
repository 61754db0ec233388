#include "traces/ncu/table.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "model/error.hpp"
#include "model/quantity.hpp"
#include "traces/csv.hpp"

namespace tilemeter::ncu {
namespace {

using Row = std::vector<std::string>;

constexpr std::string_view command_mark = "# ncu ";
constexpr std::string_view denied_mark = "ERR_NVGPUCTRPERM";

struct Description {
  std::string_view column;
  std::string PrintedLaunch::*cell;
};
constexpr std::array descriptions = {Description{"ID", &PrintedLaunch::id},
                                     Description{"Process ID", &PrintedLaunch::process},
                                     Description{"Kernel Name", &PrintedLaunch::kernel},
                                     Description{"Block Size", &PrintedLaunch::block},
                                     Description{"Grid Size", &PrintedLaunch::grid},
                                     Description{"Device", &PrintedLaunch::device},
                                     Description{"CC", &PrintedLaunch::compute_capability}};

constexpr std::array metric_columns = {std::string_view("Metric Name"), std::string_view("Metric Unit"),
                                       std::string_view("Metric Value")};

std::optional<std::size_t> find(const Row& header, std::string_view column) {
  const auto found = std::find(header.begin(), header.end(), column);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

bool is_header(std::string_view line) {
  return (line.starts_with("\"ID\",") || line.starts_with("ID,")) && line.find("Kernel Name") != std::string_view::npos;
}

/// What comes before the table is read into `result`; returns the table, and the number of its first line.
std::pair<std::string_view, std::size_t> skip_to_header(std::string_view text, std::string_view origin,
                                                        PrintedExport& result) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (is_header(line)) return {text, number};
    if (line.starts_with(command_mark)) result.command = line.substr(2, line.find_last_not_of('\r') - 1);
    if (line.find(denied_mark) != std::string_view::npos) result.counters_denied = true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  if (!result.counters_denied) {
    throw InputError(std::string(origin) +
                     ": no export of Nsight Compute; expected what `ncu --csv` prints, with a header that starts with "
                     "\"ID\" and has \"Kernel Name\", \"Block Size\", \"Grid Size\", \"Device\" and \"CC\"");
  }
  return {text, 1};
}

/// Reads the rows below one header.
class Table {
 public:
  Table(CsvReader& reader, PrintedExport& result) : reader_(reader), result_(result) {
    const std::size_t line = reader.line();
    header_ = reader.record();
    require_distinct(line);
    for (std::size_t i = 0; i < descriptions.size(); ++i) place_[i] = require(descriptions[i].column, line);
    one_metric_a_row_ = find(header_, metric_columns[0]).has_value();
    if (one_metric_a_row_) {
      for (std::size_t i = 0; i < metric_columns.size(); ++i) metric_[i] = require(metric_columns[i], line);
    }
  }

  void read() {
    if (!one_metric_a_row_) read_units();
    while (!reader_.done()) {
      const std::size_t line = reader_.line();
      if (reader_.starts_with("==")) {
        if (reader_.skip_line().find(denied_mark) != std::string_view::npos) result_.counters_denied = true;
      } else if (const Row cells = row(); !cells.empty()) {
        add(line, cells);
      }
    }
  }

 private:
  void require_distinct(std::size_t line) const {
    std::set<std::string_view> seen;
    for (const std::string& column : header_) {
      if (!seen.insert(column).second) reader_.refuse(line, "has the column " + in_quotes(column) + " twice");
    }
  }
  std::size_t require(std::string_view column, std::size_t line) const {
    const auto found = find(header_, column);
    if (!found) reader_.refuse(line, "has no column " + in_quotes(column));
    return *found;
  }

  void read_units() {
    const std::size_t line = reader_.line();
    units_ = row();
    if (units_.empty() || !units_[place_[0]].empty()) {
      reader_.refuse(line, "is no row of units, which follows the header of the raw page");
    }
  }

  /// The next row; empty for an empty line.
  Row row() {
    const std::size_t line = reader_.line();
    Row cells = reader_.record();
    if (cells.size() == 1 && cells.front().empty()) return {};
    if (cells.size() != header_.size()) {
      reader_.refuse(
          line, "has " + std::to_string(cells.size()) + " cells; the header has " + std::to_string(header_.size()));
    }
    return cells;
  }

  PrintedLaunch describe(std::size_t line, const Row& cells) const {
    PrintedLaunch launch{.line = line};
    for (std::size_t i = 0; i < descriptions.size(); ++i) launch.*descriptions[i].cell = cells[place_[i]];
    return launch;
  }

  void add(std::size_t line, const Row& cells) {
    PrintedLaunch launch = describe(line, cells);
    if (one_metric_a_row_) {
      add_metric(launch_like(std::move(launch)), line, cells);
      return;
    }
    if (find_launch(launch) != nullptr) reader_.refuse(line, "has launch " + launch.id + " a second time");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_description(i)) launch.metrics.push_back({header_[i], units_[i], cells[i], line});
    }
    result_.launches.push_back(std::move(launch));
  }

  bool is_description(std::size_t column) const {
    return std::find(place_.begin(), place_.end(), column) != place_.end();
  }

  PrintedLaunch* find_launch(const PrintedLaunch& like) {
    // The rows of a launch stand together, so that the search starts at the end.
    const auto found = std::find_if(
        result_.launches.rbegin(), result_.launches.rend(),
        [&](const PrintedLaunch& launch) { return launch.id == like.id && launch.process == like.process; });
    return found == result_.launches.rend() ? nullptr : &*found;
  }

  PrintedLaunch& launch_like(PrintedLaunch launch) {
    PrintedLaunch* found = find_launch(launch);
    if (found == nullptr) return result_.launches.emplace_back(std::move(launch));
    for (const Description& description : descriptions) {
      if (found->*description.cell == launch.*description.cell) continue;
      reader_.refuse(launch.line, "gives launch " + launch.id + " the " + std::string(description.column) + " " +
                                      in_quotes(launch.*description.cell) + "; line " + std::to_string(found->line) +
                                      " gives it " + in_quotes(found->*description.cell));
    }
    return *found;
  }

  void add_metric(PrintedLaunch& launch, std::size_t line, const Row& cells) {
    PrintedMetric metric{cells[metric_[0]], cells[metric_[1]], cells[metric_[2]], line};
    if (metric.name.empty()) return;  // a rule's advice
    const auto known = std::find_if(launch.metrics.begin(), launch.metrics.end(),
                                    [&](const PrintedMetric& other) { return other.name == metric.name; });
    if (known == launch.metrics.end()) {
      launch.metrics.push_back(std::move(metric));
    } else if (known->value != metric.value || known->unit != metric.unit) {
      // Several sections may print one metric, each the same.
      reader_.refuse(line, "has " + metric.name + " of launch " + launch.id +
                               " a second time, with another value than " + "line " + std::to_string(known->line));
    }
  }

  CsvReader& reader_;
  PrintedExport& result_;
  Row header_;
  Row units_;
  std::array<std::size_t, descriptions.size()> place_{};
  std::array<std::size_t, metric_columns.size()> metric_{};
  bool one_metric_a_row_ = false;
};

}  // namespace

PrintedExport read_tables(std::string_view text, std::string_view origin) {
  require_utf8(text, origin);
  PrintedExport result;
  const auto [table, first_line] = skip_to_header(text, origin, result);
  if (table.empty()) return result;
  if (!table.ends_with('\n') && !table.ends_with('"')) {
    throw InputError(std::string(origin) + " ends in the middle of a line; a whole export is accepted");
  }
  CsvReader reader(table, origin, first_line);
  Table(reader, result).read();
  return result;
}

}  // namespace tilemeter::ncu
