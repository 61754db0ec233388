// What is expected of a kernel's figures before anything is measured.
#pragma once

#include "model/efficiency.hpp"
#include "model/execution.hpp"

namespace tilemeter {

/// `value` +- `doubt`, a standard deviation.
struct Expectation {
  double value = 0;
  double doubt = 1;
};

/// Of a kernel that multiplies by `path`: the figure's own, but for shared memory, which wgmma reads beside its
/// products and mma.sync before them.
Expectation expectation_of(const EfficiencyFigure& figure, MatrixPath path);

}  // namespace tilemeter
