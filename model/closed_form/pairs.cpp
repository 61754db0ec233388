#include <algorithm>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/visited.hpp"

namespace tilemeter {
namespace {

Problem unpacked(Problem problem) {
  problem.packing = Packing::unpacked;
  return problem;
}

/// Visible pairs, and rows without any, of one head under a pair matrix.
struct PairTotals {
  Count visible = 0;
  Count empty_rows = 0;
};

PairTotals totals_of(const PairMatrix& pairs) {
  PairTotals totals;
  for (Count row = 0; row < pairs.rows; ++row) {
    const auto begin = pairs.visible.begin() + row * pairs.cols;
    const auto visible = std::count(begin, begin + pairs.cols, true);
    totals.visible += visible;
    totals.empty_rows += visible == 0 ? 1 : 0;
  }
  return totals;
}

}  // namespace

Count visible_pairs(const Problem& problem) {
  validate(problem);
  return named("pairs", [&] {
    const Count heads = checked::multiply(problem.batch, problem.heads);
    if (problem.mask.kind == MaskKind::arbitrary)
      return checked::multiply(totals_of(*problem.mask.pairs).visible, heads);
    return (VisitedSums(unpacked(problem), 1, 1).tiles() * heads).narrow();
  });
}

Count empty_rows(const Problem& problem) {
  validate(problem);
  return named("empty rows", [&] {
    const Count heads = checked::multiply(problem.batch, problem.heads);
    if (problem.mask.kind == MaskKind::arbitrary)
      return checked::multiply(totals_of(*problem.mask.pairs).empty_rows, heads);
    const Wide live = VisitedSums(unpacked(problem), 1, 1).live_rows();
    return ((Wide(problem.seq_q) - live) * heads).narrow();
  });
}

}  // namespace tilemeter
