#include "tools/splits.hpp"

#include "model/capacity_message.hpp"
#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "sim/catalog.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

/// The tiles of the kernel that combines `splits` splits; none where there is nothing to combine.
std::vector<OnChipTile> combined(const ResolvedPoint& point, Count splits) {
  Case split = point.largest;
  split.options.splits = splits;
  for (KernelTiles& kernel : on_chip_tiles_by_kernel(point.algorithm->name, split)) {
    if (kernel.kernel == "combine") return std::move(kernel.tiles);
  }
  return {};
}

bool fits(const ResolvedPoint& point, Count splits) {
  return overflow_of(footprint_of(combined(point, splits)), point.budget) == 0;
}

/// The most splits that fit, below `asked`, which do not; 1 has nothing to combine.
Count most_that_fit(const ResolvedPoint& point, Count asked) {
  Count good = 1;
  Count bad = asked;
  while (bad - good > 1) {
    const Count middle = good + (bad - good) / 2;
    (fits(point, middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

void refuse_splits_past_capacity(const ResolvedPoint& point) {
  const Budget& budget = point.budget;
  const std::optional<Count> asked = point.largest.options.splits;
  if (!asked || !has_word(point.algorithm->options, "--splits")) return;
  const bool counted = budget.overflowing == Overflowing::counted && point.rule == BlockRule::given;
  if (!budget.limited() || counted || fits(point, *asked)) return;
  const std::string subject = "the combine kernel of " + std::string(point.algorithm->name);
  throw InputError("--splits " + std::to_string(*asked) + ": " +
                   capacity_message(subject, combined(point, *asked), budget) + "; expected 1 to " +
                   std::to_string(most_that_fit(point, *asked)) + ", or auto");
}

}  // namespace tilemeter
