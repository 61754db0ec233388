// Measurements as CSV.
#include "traces/csv.hpp"
#include "tools/measure/json.hpp"
#include "tools/options/text.hpp"
#include "tools/output/columns.hpp"

namespace tilemeter {
namespace {

/// Paths with '/' between their parts; '@' stands for each tensor, '#' for what is common to the points and '%' for the
/// time of the line.
constexpr std::string_view paths =
    "kernel algorithm "
    "problem/batch problem/heads problem/kv_heads problem/seq_q problem/seq_k problem/head_dim problem/head_dim_v "
    "problem/mask problem/window_left problem/window_right problem/dtype problem/stat_dtype problem/score_dtype "
    "problem/o_dtype problem/packed problem/m problem/n problem/k problem/rows problem/cols problem/length problem/ops "
    "problem/side_inputs tiling/block_q tiling/block_k tiling/block_d tiling/block_m tiling/block_n tiling/order "
    "tiling/chunk tiling/stages options/variant options/row_splits options/empty_lse options/splits options/page_size "
    "supported reason failure gate/ok gate/rows gate/rows_in_all gate/tensors/O/error gate/tensors/LSE/error "
    "gate/tensors/C/error gate/tensors/Y/error "
    "traffic/bytes/read traffic/bytes/write traffic/bytes/total traffic/tiles traffic/equals_ledger "
    "traffic/equals_closed_form traffic/tensors/@/read_bytes traffic/tensors/@/write_bytes "
    "compulsory_bytes useful_flops matmul_flops "
    "%/regime %/method %/launches %/samples %/discarded %/outliers %/flush_bytes %/seconds/median %/seconds/mean "
    "%/seconds/half_width95 %/seconds/least %/seconds/p5 %/seconds/p95 %/seconds/most %/seconds/quartile_range "
    "%/flops_per_second %/share_of_peak %/edge_bytes_per_second %/compulsory_bytes_per_second %/share_of_hbm "
    "%/clocks/sm_hertz %/clocks/memory_hertz %/clocks/fall %/clocks/power_capped %/clocks/slowed_down %/watts "
    "%/joules_per_launch %/valid %/invalid %/labels "
    "#/gpu/name #/gpu/driver #/gpu/toolkit #/device #/commit #/date #/seed #/version";

enum class Source { point, time, document };

struct CsvColumn {
  Source source = Source::point;
  std::vector<std::string> path;
  std::string name;
};

CsvColumn column_of(std::string_view path, std::string_view tensor) {
  CsvColumn column;
  for (const std::string_view part : split(path, '/')) {
    if (part == "%" || part == "#") {
      column.source = part == "%" ? Source::time : Source::document;
      continue;
    }
    column.path.emplace_back(part == "@" ? tensor : part);
    column.name += (column.name.empty() ? "" : "_") + column.path.back();
  }
  return column;
}

std::vector<CsvColumn> columns() {
  std::vector<CsvColumn> made;
  for (const std::string_view path : split(paths, ' ')) {
    if (path.find('@') == std::string_view::npos) {
      made.push_back(column_of(path, {}));
    } else {
      for (const std::string_view tensor : tensor_names) made.push_back(column_of(path, tensor));
    }
  }
  return made;
}

std::string cell_of(const Json* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return csv_cell(value->get_ref<const std::string&>());
  if (!value->is_array()) return csv_cell(value->dump());
  std::string words;
  for (const Json& word : *value) words += (words.empty() ? "" : "+") + word.get<std::string>();
  return csv_cell(words);
}

std::string line_of(const std::vector<CsvColumn>& all, const Json& document, const Json& point, const Json& time) {
  std::string line;
  for (const CsvColumn& column : all) {
    const Json& from = column.source == Source::point ? point : column.source == Source::time ? time : document;
    line += (&column == &all.front() ? "" : ",") + cell_of(find_path(from, column.path));
  }
  return line + "\n";
}

}  // namespace

std::string measure_csv(const Json& document) {
  const std::vector<CsvColumn> all = columns();
  std::string text;
  for (const CsvColumn& column : all) text += (text.empty() ? "" : ",") + column.name;
  text += "\n";
  for (const Json& point : document["points"]) {
    const bool timed = point.contains("times") && !point["times"].empty();
    if (!timed) text += line_of(all, document, point, nullptr);
    for (std::size_t i = 0; timed && i < point["times"].size(); ++i) {
      text += line_of(all, document, point, point["times"][i]);
    }
  }
  return text;
}

}  // namespace tilemeter
