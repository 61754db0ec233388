#include "tools/occupancy/sheet.hpp"

#include <algorithm>

#include "tools/output/lines.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

std::string bytes_text(Bytes bytes) { return with_separators(bytes.value()) + " B"; }
std::string blocks_text(const std::optional<Count>& blocks) { return blocks ? with_separators(*blocks) : "no limit"; }

std::string line(std::string_view title, const std::string& text) { return pad_right(title, 17) + text + "\n"; }

std::string head(const OccupancyRow& row) {
  std::string text = subject_of(row);
  if (row.point) {
    const Problem& problem = row.point->problem;
    const Tiling& tiling = row.point->tiling;
    text += ", " + std::to_string(tiling.block_q) + "x" + std::to_string(tiling.block_k) + " (" +
            std::string(name_of(tiling.rule)) + "), d = " + std::to_string(problem.head_dim) + ", " +
            std::string(name_of(problem.dtype));
  }
  return text + ", on " + row.device->name + " (" + row.device->arch + ")\n\n";
}

std::string tiles_part(const OccupancyRow& row) {
  std::size_t width = 18;
  for (const OnChipTile& tile : row.plan.tiles) width = std::max(width, tile.name.size());
  const auto cells = [&](std::string_view name, std::string_view shape, std::string_view bytes,
                         std::string_view space) {
    return "  " + pad_right(name, width) + pad_left(shape, 18) + pad_left(bytes, 14) + "  " + std::string(space) + "\n";
  };
  std::string text = styled_line(Style::heading, cells("tile", "rows x cols", "bytes", "space"));
  for (const OnChipTile& tile : row.plan.tiles) {
    const std::string copies = tile.copies > 1 ? std::to_string(tile.copies) + " x " : "";
    text += cells(tile.name, copies + std::to_string(tile.rows) + " x " + std::to_string(tile.cols),
                  with_separators(tile.bytes().value()), tile.space == Space::shared ? "shared" : "registers");
  }
  return text + "\n";
}

std::string shared_part(const OccupancyRow& row) {
  const Device::Sm& sm = row.device->sm;
  std::string text = bytes_text(row.use.shared) + " a block, at most " + bytes_text(sm.shared_per_block);
  text += row.occupancy.needs_opt_in ? ", and only after opting in: past the default of "
                                     : "; no opting in: within the default of ";
  text += bytes_text(sm.shared_default);
  const std::string taken = bytes_text(row.device->shared_taken(row.use.shared));
  return line("shared memory", text) + line("", taken + " of the SM's " + bytes_text(sm.shared_per_sm) +
                                                    " with the reserve of " + bytes_text(sm.shared_reserved));
}

std::string registers_part(const OccupancyRow& row) {
  const RegisterUse& use = row.registers;
  const Count warps = ceil_div(row.plan.threads, warp_threads);
  const std::string from = use.source == RegisterSource::given ? "" : ", the accumulators alone";
  const std::string number = use.per_thread ? std::to_string(*use.per_thread) + " a thread" + from : "unknown";
  return line("threads",
              with_separators(row.plan.threads) + ", " + std::to_string(warps) + (warps == 1 ? " warp" : " warps")) +
         line("registers", number + "; at most " + std::to_string(use.limit) + " with " +
                               std::to_string(row.plan.threads) + " threads") +
         line("accumulators", bytes_text(use.accumulators) + " a block, " +
                                  std::to_string(use.accumulators_per_thread) + " registers a thread; the SM has " +
                                  bytes_text(row.device->register_file()));
}

std::string blocks_part(const OccupancyRow& row) {
  const Occupancy& occupancy = row.occupancy;
  return line("blocks per SM", std::to_string(occupancy.blocks) + ", limited by " + limiter_text(row)) +
         line("", "shared memory " + blocks_text(occupancy.by_shared) + ", registers " +
                      (occupancy.by_registers ? blocks_text(occupancy.by_registers) : "unknown") + ", warps " +
                      blocks_text(occupancy.by_warps) + ", blocks " + blocks_text(occupancy.by_blocks)) +
         line("occupancy", std::to_string(occupancy.warps()) + " of " + std::to_string(occupancy.most_warps) +
                               " warps, " + fixed(occupancy.percent(), 1) + " %");
}

std::string grid_part(const OccupancyRow& row) {
  if (!row.grid) return "";
  const std::string mapping = row.grid->mapping();
  const auto past = axis_past_limit(row.grid->size);
  return line("grid", grid_text(row.grid->size) + (mapping.empty() ? "" : " = " + mapping) +
                          (past ? ": CANNOT BE LAUNCHED, axis " + std::string(name_of(*past)) + " ends at " +
                                      with_separators(limit_of(*past))
                                : ": can be launched"));
}

}  // namespace

std::string subject_of(const OccupancyRow& row) {
  if (!row.layout.empty()) return row.layout;
  return row.algorithm + (row.kernel.empty() || row.kernel == row.algorithm ? "" : " " + row.kernel);
}

std::string limiter_text(const OccupancyRow& row) {
  std::string text;
  for (const SmLimit limit : row.occupancy.limiters) {
    text += (text.empty() ? "" : " and ") + std::string(name_of(limit));
  }
  return text;
}

std::string grid_text(const LaunchGrid& grid) {
  return "(" + with_separators(grid.x) + " x " + with_separators(grid.y) + " x " + with_separators(grid.z) + ")";
}

std::string occupancy_sheet(const OccupancyRow& row) {
  std::string text =
      head(row) + tiles_part(row) + shared_part(row) + registers_part(row) + blocks_part(row) + grid_part(row);
  if (row.reason) text += "\n" + styled(Style::bad, "DOES NOT FIT") + ": " + *row.reason + "\n";
  for (const std::string& warning : row.warnings) text += "\nnote: " + warning;
  return row.warnings.empty() ? text : text + "\n";
}

}  // namespace tilemeter
