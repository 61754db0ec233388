// The two tables that `ncu --csv` prints, as launches with the metrics that stand in them, still as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilemeter::ncu {

struct PrintedMetric {
  std::string name;
  std::string unit;
  std::string value;
  std::size_t line = 0;
};

/// One launch: the cells that describe it, and its metrics in the order of the table.
struct PrintedLaunch {
  std::size_t line = 0;
  std::string id;
  std::string process;
  std::string kernel;
  std::string block;
  std::string grid;
  std::string device;
  std::string compute_capability;
  std::vector<PrintedMetric> metrics;
};

struct PrintedExport {
  std::string command;           ///< what stands after "# " in a line "# ncu ..." before the table; empty: none does
  bool counters_denied = false;  ///< the driver refused the counters (ERR_NVGPUCTRPERM)
  std::vector<PrintedLaunch> launches;
};

/// Reads the raw page (a launch a row, units in the second row) or one metric a row ("Metric Name", "Metric Unit",
/// "Metric Value"). What the profiled program and ncu print before the table is skipped, and ncu's own lines after it.
/// Throws InputError that names `origin` and the line: no table (unless the counters were denied), missing or doubled
/// columns, rows with more or fewer cells than the header, a launch or metric that stands there twice with other
/// values, a text cut off in the middle of a line, or one that is not UTF-8.
PrintedExport read_tables(std::string_view text, std::string_view origin);

}  // namespace tilemeter::ncu
