// Fits what each kernel reaches of a device's rates, from times that were measured.
#pragma once

#include <string>
#include <vector>

#include "model/device.hpp"
#include "tools/validate/observation.hpp"

namespace tilemeter {

/// One fitted figure of a kernel.
struct FittedFigure {
  std::string key;  ///< "fit.flash3.products"
  double value = 0;
  double half_width95 = 0;
  double prior = 0;         ///< what stands in where the data say nothing
  bool determined = false;  ///< the interval is less than half as wide as the prior's
};

/// One time that a fit saw.
struct FitResidual {
  std::string source;
  double measured = 0;   ///< s
  double predicted = 0;  ///< s, with the fitted figures
};

/// The figures of one kernel and what is left over.
struct KernelFit {
  std::string kernel;
  std::vector<FittedFigure> figures;
  Count observations = 0;
  double mean_error = 0;  ///< mean of |predicted / measured - 1| over its observations
  double most_error = 0;
  std::vector<FitResidual> residuals;
  double spread = 0;  ///< standard deviation of log(measured / predicted), robust
};

struct Calibration {
  std::vector<KernelFit> kernels;
  std::vector<std::string> notes;
};

/// Fits every kernel that has times among `observations`. Throws InputError when there is none.
Calibration calibrate(const std::vector<Observation>& observations, const Device& device);

/// `device` with the fitted figures, as if it had been loaded with the overlay that `calibrate` writes.
Device with_fits(Device device, const Calibration& calibration);

}  // namespace tilemeter
