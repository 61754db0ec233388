#include "sim/block.hpp"

#include <algorithm>

#include "sim/operands.hpp"

namespace tilemeter {
namespace {

std::string describe(const std::vector<OnChipTile>& tiles, const Budget& budget) {
  std::string text = "a block needs";
  for (const OnChipTile& tile : tiles) text += " " + tile.name + " " + std::to_string(tile.bytes().value());
  const Footprint use = footprint_of(tiles);
  text += " = " + std::to_string(use.bytes().value()) + " bytes on chip (" + std::to_string(use.elements.value()) +
          " elements)";
  return text + ", more than " + (budget.owner.empty() ? "the budget" : budget.owner) + " allows";
}

}  // namespace

std::vector<Count> steps_in_order(const std::vector<Run>& runs, Walk walk) {
  std::vector<Count> steps;
  for (const Run& run : runs) {
    for (Count k = 0; k < run.count; ++k) steps.push_back(run.first + k * run.step);
  }
  std::sort(steps.begin(), steps.end());
  if (walk == Walk::descending) std::reverse(steps.begin(), steps.end());
  return steps;
}

OverCapacity::OverCapacity(std::vector<OnChipTile> tiles, const Budget& budget)
    : InputError(describe(tiles, budget)), tiles_(std::move(tiles)) {}

TILEMETER_BLOCK(, Ghost)
TILEMETER_BLOCK(, Real<float>)
TILEMETER_BLOCK(, Real<double>)

template class Gpu<Ghost>;
template class Gpu<Real<float>>;
template class Gpu<Real<double>>;

template class Operands<Ghost>;
template class Operands<Real<float>>;
template class Operands<Real<double>>;

}  // namespace tilemeter
