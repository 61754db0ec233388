// One split carried out: fitted on one side, predicted on both.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/calibrate/calibration.hpp"
#include "tools/validate/splits.hpp"

namespace tilemeter::validation {

struct Experiment {
  Split split;
  std::vector<Row> rows;  ///< times, fitted and held out
  Calibration calibration;
  std::vector<std::string> notes;  ///< what was left out, and why
  Count fitted = 0;
  Count held_out = 0;
};

/// Calls `work(i)` for every i below `count` on up to `threads` threads. The first exception is thrown again.
void for_each_point(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work);

/// The figures with which a point is predicted: those of its own kernel, of the kernel whose ladder it is a rung of, or
/// of the kernel of this project that has the algorithm and matrix path of another project's. Empty without one.
std::string figures_of_kernel(SplitName split, const ValidatedPoint& point, const std::vector<ValidatedPoint>& points,
                              const std::vector<std::optional<Role>>& roles);

/// Throws InputError where the split has nothing to fit.
Experiment carried_out(const Split& split, const std::vector<ValidatedPoint>& points, const Device& device,
                       std::size_t threads);

}  // namespace tilemeter::validation
