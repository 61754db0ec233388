#include "model/on_chip.hpp"

#include <algorithm>

namespace tilemeter {
namespace {

Bytes excess(Bytes use, const std::optional<Bytes>& limit) {
  return limit ? std::max(Bytes(0), use - *limit) : Bytes(0);
}

}  // namespace

Footprint footprint_of(const std::vector<OnChipTile>& tiles) {
  return named("the footprint on chip", [&] {
    Footprint use;
    for (const OnChipTile& tile : tiles) {
      use.elements += tile.elements();
      (tile.space == Space::shared ? use.shared : use.registers) += tile.bytes();
    }
    static_cast<void>(use.bytes());
    return use;
  });
}

bool fits(const Footprint& use, const Budget& budget) { return overflow_of(use, budget) == 0; }

Count overflow_of(const Footprint& use, const Budget& budget) {
  return named("the overflow on chip", [&] {
    if (budget.placement == Placement::gpu) {
      return (excess(use.shared, budget.bytes) + excess(use.registers, budget.registers)).value();
    }
    if (budget.elements) return std::max(Count{0}, (use.elements - *budget.elements).value());
    return excess(use.bytes(), budget.bytes).value();
  });
}

}  // namespace tilemeter
