// One kernel's block on one device: what it takes, how many an SM holds, and whether its grid can be launched.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/launch_grid.hpp"
#include "model/layout_file.hpp"
#include "model/occupancy.hpp"
#include "tools/options/request.hpp"

namespace tilemeter {

struct OccupancyRow {
  std::string algorithm;  ///< empty for a layout
  std::string kernel;     ///< empty for a layout, and where no tiles were found
  std::string layout;     ///< the name that a layout file gives; empty for an algorithm
  std::shared_ptr<const Device> device;
  std::optional<Case> point;  ///< of an algorithm, with the tile sizes that were chosen
  BlockPlan plan;             ///< without tiles where none could be chosen
  Footprint use;
  RegisterUse registers;
  Occupancy occupancy;
  std::optional<KernelGrid> grid;     ///< absent where the mapping to axes is not known
  std::optional<std::string> reason;  ///< why no block runs; the occupancy is then 0
  bool supported = true;              ///< false where the layout has no kernel for the device
  std::vector<std::string> warnings;

  /// Why the block does not run or its grid cannot be launched: the reason, else what grid_refusal says.
  std::optional<std::string> refusal() const;
};

/// Threads and registers of a block, as the options or a kernel's description give them.
struct BlockThreads {
  std::optional<Count> warps;  ///< absent: those of default_execution, which `predict` takes too
  std::optional<Count> registers;
};

/// A row for each kernel of the point's algorithm; one with a reason when it has no tiles or none fit. The point has a
/// device. Throws InputError for wrong input and FigureOverflow.
std::vector<OccupancyRow> occupancy_rows(const PointRequest& request, const BlockThreads& threads);

/// The row of a block that a file describes.
OccupancyRow occupancy_row(const BlockLayout& layout, std::shared_ptr<const Device> device);

}  // namespace tilemeter
