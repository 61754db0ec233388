// Measurements as CSV.
#include "tools/measure/json.hpp"
#include "tools/output/columns.hpp"

namespace tilemeter {
namespace {

/// Paths in a point.
constexpr std::string_view point_paths =
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
    "compulsory_bytes useful_flops matmul_flops";

/// In a time of it.
constexpr std::string_view time_paths =
    "regime method launches samples discarded outliers flush_bytes seconds/median seconds/mean "
    "seconds/half_width95 seconds/least seconds/p5 seconds/p95 seconds/most seconds/quartile_range "
    "flops_per_second share_of_peak edge_bytes_per_second compulsory_bytes_per_second share_of_hbm "
    "clocks/sm_hertz clocks/memory_hertz clocks/fall clocks/power_capped clocks/slowed_down watts "
    "joules_per_launch valid invalid labels";

/// In what is common to the points.
constexpr std::string_view document_paths = "gpu/name gpu/driver gpu/toolkit device commit date seed version";

/// What a line shows, in this order.
struct CsvColumns {
  std::vector<Column> point = columns_of(point_paths);
  std::vector<Column> time = columns_of(time_paths);
  std::vector<Column> document = columns_of(document_paths);
};

std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == &cells.front() ? "" : ",") + cell;
  return line + "\n";
}

std::string header_of(const CsvColumns& columns) {
  std::vector<std::string> names;
  for (const auto* part : {&columns.point, &columns.time, &columns.document}) {
    for (const Column& column : *part) names.push_back(column.name);
  }
  return joined(names);
}

std::string line_of(const CsvColumns& columns, const Json& document, const Json& point, const Json& time) {
  std::vector<std::string> cells;
  const auto add = [&](const Json& from, const std::vector<Column>& part) {
    for (const Column& column : part) cells.push_back(csv_cell_of(find_path(from, column.path)));
  };
  add(point, columns.point);
  add(time, columns.time);
  add(document, columns.document);
  return joined(cells);
}

}  // namespace

std::string measure_csv(const Json& document) {
  const CsvColumns columns;
  std::string text = header_of(columns);
  for (const Json& point : document["points"]) {
    const bool timed = point.contains("times") && !point["times"].empty();
    if (!timed) text += line_of(columns, document, point, nullptr);
    for (std::size_t i = 0; timed && i < point["times"].size(); ++i) {
      text += line_of(columns, document, point, point["times"][i]);
    }
  }
  return text;
}

}  // namespace tilemeter
