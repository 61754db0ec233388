#include "tools/occupancy/render.hpp"

#include <algorithm>

#include "tools/occupancy/json.hpp"
#include "tools/occupancy/sheet.hpp"
#include "tools/report/report.hpp"
#include "tools/tables/render.hpp"

namespace tilemeter {
namespace {

using tables::Cell;
using tables::Decimal;
using tables::MadeTable;

constexpr std::string_view occupancy_source =
    "limits of the device file; units of allocation of CUDA Toolkit 13.0, cuda_occupancy.h; axes of a grid of the CUDA "
    "C++ Programming Guide 12.9";

/// One column of the list.
struct ListColumn {
  std::string name;
  std::string unit;
  Cell (*cell)(const OccupancyRow&);
};

Cell words(std::string text) { return text.empty() ? Cell() : Cell(std::move(text)); }
Cell count(const std::optional<Count>& value) { return value ? Cell(*value) : Cell(); }

/// The cell of a figure that follows from the tiles, where there are any.
template <class Figure>
Cell of_tiles(const OccupancyRow& row, Figure figure) {
  return row.plan.tiles.empty() ? Cell() : Cell(figure());
}

Cell tiling_cell(const OccupancyRow& row) {
  if (row.kernel.empty() || !row.point) return {};
  const Tiling& tiling = row.point->tiling;
  return words(std::to_string(tiling.block_q) + "x" + std::to_string(tiling.block_k));
}

/// Whether a block runs, its grid can be launched and its registers suffice; else what is in the way.
Cell verdict_cell(const OccupancyRow& row) {
  if (!row.supported) return words("unsupported: " + *row.reason);
  if (row.reason) return words("does not fit: " + *row.reason);
  if (const auto refusal = row.refusal()) return words(*refusal);
  return words(row.registers.spills() ? "fits, spills registers" : "fits");
}

std::vector<ListColumn> occupancy_columns() {
  return {
      {"block", "", [](const OccupancyRow& r) { return words(subject_of(r)); }},
      {"device", "", [](const OccupancyRow& r) { return words(r.device->name); }},
      {"d", "", [](const OccupancyRow& r) { return r.point ? Cell(r.point->problem.head_dim) : Cell(); }},
      {"Br x Bc", "", tiling_cell},
      {"threads", "", [](const OccupancyRow& r) { return Cell(r.plan.threads); }},
      {"shared", "B", [](const OccupancyRow& r) { return of_tiles(r, [&] { return r.use.shared.value(); }); }},
      {"limit", "B", [](const OccupancyRow& r) { return Cell(r.device->sm.shared_per_block.value()); }},
      {"opt-in", "",
       [](const OccupancyRow& r) {
         return of_tiles(r, [&] { return std::string(r.occupancy.needs_opt_in ? "yes" : "no"); });
       }},
      {"accumulators", "per thread",
       [](const OccupancyRow& r) { return of_tiles(r, [&] { return r.registers.accumulators_per_thread; }); }},
      {"registers", "per thread",
       [](const OccupancyRow& r) { return r.plan.tiles.empty() ? Cell() : count(r.registers.per_thread); }},
      {"by shared", "blocks",
       [](const OccupancyRow& r) { return r.plan.tiles.empty() ? Cell() : count(r.occupancy.by_shared); }},
      {"by registers", "blocks",
       [](const OccupancyRow& r) { return r.plan.tiles.empty() ? Cell() : count(r.occupancy.by_registers); }},
      {"by warps", "blocks", [](const OccupancyRow& r) { return of_tiles(r, [&] { return r.occupancy.by_warps; }); }},
      {"by blocks", "blocks", [](const OccupancyRow& r) { return Cell(r.device->sm.blocks); }},
      {"resident", "blocks", [](const OccupancyRow& r) { return Cell(r.occupancy.blocks); }},
      {"limiter", "", [](const OccupancyRow& r) { return words(r.reason ? "" : limiter_text(r)); }},
      {"occupancy", "%",
       [](const OccupancyRow& r) {
         return Cell(Decimal{r.reason ? 0 : r.occupancy.percent(), 1});
       }},
      {"grid", "", [](const OccupancyRow& r) { return words(r.grid ? grid_text(r.grid->size) : ""); }},
      {"verdict", "", verdict_cell},
  };
}

/// Each warning once, behind the blocks that have it.
std::vector<std::string> notes_of(const std::vector<OccupancyRow>& rows) {
  std::vector<std::string> warnings;
  std::vector<std::string> blocks;
  for (const OccupancyRow& row : rows) {
    for (const std::string& warning : row.warnings) {
      const auto known = std::find(warnings.begin(), warnings.end(), warning);
      const std::string block = subject_of(row);
      if (known == warnings.end()) {
        warnings.push_back(warning);
        blocks.push_back(block);
        continue;
      }
      std::string& named_blocks = blocks[static_cast<std::size_t>(known - warnings.begin())];
      if (("; " + named_blocks + ";").find("; " + block + ";") == std::string::npos) named_blocks += "; " + block;
    }
  }
  for (std::size_t i = 0; i < warnings.size(); ++i) warnings[i] = blocks[i] + ": " + warnings[i];
  return warnings;
}

/// The rows as a table, without the columns that are empty in every row.
MadeTable table_of(const std::vector<OccupancyRow>& rows) {
  MadeTable made{.spec = {.name = "occupancy", .title = "resident blocks of an SM", .source = occupancy_source},
                 .table = {}};
  made.table.rows.resize(rows.size());
  for (const ListColumn& column : occupancy_columns()) {
    std::vector<Cell> cells;
    for (const OccupancyRow& row : rows) cells.push_back(column.cell(row));
    const auto is_empty = [](const Cell& cell) { return std::holds_alternative<std::monostate>(cell); };
    if (std::all_of(cells.begin(), cells.end(), is_empty)) continue;
    made.table.columns.push_back({column.name, column.unit});
    for (std::size_t i = 0; i < rows.size(); ++i) made.table.rows[i].push_back(std::move(cells[i]));
  }
  made.table.infeasible = std::count_if(rows.begin(), rows.end(), [](const OccupancyRow& row) { return !!row.reason; });
  made.table.notes = notes_of(rows);
  return made;
}

Json points_of(const std::vector<OccupancyRow>& rows) {
  Json points = Json::array();
  for (const OccupancyRow& row : rows) points.push_back(occupancy_json(row));
  return points;
}

std::string json_text(const std::vector<OccupancyRow>& rows, const Arguments& arguments) {
  Json document = document_json("occupancy", arguments);
  if (rows.size() == 1) {
    document.update(occupancy_json(rows.front()));
  } else {
    document["points"] = points_of(rows);
  }
  return document.dump(2) + "\n";
}

}  // namespace

std::string render_occupancy(Format format, const std::vector<OccupancyRow>& rows, const Arguments& arguments) {
  switch (format) {
    case Format::json:
      return json_text(rows, arguments);
    case Format::csv:
      return occupancy_csv(points_of(rows));
    case Format::html:
      return render_report(json_text(rows, arguments), "tilemeter occupancy");
    case Format::table:
      if (rows.size() == 1) return occupancy_sheet(rows.front());
      return tables::render(format, {table_of(rows)});
    case Format::md:
      return tables::render(format, {table_of(rows)});
  }
  return {};
}

}  // namespace tilemeter
