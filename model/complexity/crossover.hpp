// From which M streaming attention moves no more than attention with its scores in memory.
#pragma once

#include <string_view>
#include <vector>

#include "model/complexity/break_even.hpp"
#include "model/complexity/experiment.hpp"

namespace tilemeter::complexity {

/// A break-even of order d^2, and the M / d^2 that count as agreement.
struct Crossover {
  BreakEven found;
  Accepted accepted;

  /// M / d^2; nothing where the challenger moves more at every M.
  std::optional<double> ratio() const;
  bool holds() const { return ratio() && accepted.holds(*ratio()); }
};

/// flash2 and flash1 against `materialised` with its square tiles of floor(sqrt(M + 1)) - 1, at N = 8192 and d = 32,
/// 64, 128, 256, for the challengers that `wanted` accepts.
std::vector<Crossover> crossovers(const Counting& counting,
                                  const std::function<bool(std::string_view algorithm)>& wanted);

}  // namespace tilemeter::complexity
