#include "model/footprint.hpp"

#include <algorithm>

#include "model/closed_form/catalog.hpp"

namespace tilemeter {

std::vector<KernelTiles> on_chip_tiles_by_kernel(std::string_view algorithm, const Case& point) {
  const Formula& formula = formula_of(algorithm);
  return formula.tiles(accepted(formula, point));
}

std::vector<OnChipTile> on_chip_tiles(std::string_view algorithm, const Case& point) {
  std::vector<OnChipTile> fullest;
  Bytes most;
  for (KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, point)) {
    const Bytes use = footprint_of(kernel.tiles).bytes();
    if (!fullest.empty() && use <= most) continue;
    fullest = std::move(kernel.tiles);
    most = use;
  }
  return fullest;
}

Elements most_elements_on_chip(std::string_view algorithm, const Case& point) {
  Elements most;
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, point)) {
    most = std::max(most, footprint_of(kernel.tiles).elements);
  }
  return most;
}

Count overflow_of(std::string_view algorithm, const Case& point, const Budget& budget) {
  Count most = 0;
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, point)) {
    most = std::max(most, overflow_of(footprint_of(kernel.tiles), budget));
  }
  return most;
}

}  // namespace tilemeter
