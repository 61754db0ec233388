// What samples say: their centre, their spread, and how well their mean is known.
#pragma once

#include <span>

#include "model/units.hpp"

namespace tilemeter {

/// Samples in figures; all but `count` in the unit of the samples.
struct Summary {
  Count count = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< of the population the samples come from: n - 1 in the denominator
  double least = 0;
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
  double most = 0;
  double half_width95 = 0;  ///< the mean lies within +- this with 95 % confidence (Student's t)
};

/// Throws InputError that names `what` for fewer than 2 samples or one that is not finite.
Summary summarise(std::span<const double> samples, std::string_view what);

/// The mean of at least one finite sample. Throws InputError that names `what`.
double mean_of(std::span<const double> samples, std::string_view what);

/// The value below which `fraction` of the samples lie, interpolated between neighbours: of n sorted samples, number
/// fraction * (n - 1) counted from 0 (Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996, definition 7).
/// {1, 2, 3, 4} at 0.5 is 2.5, at 0.95 is 3.85. Throws InputError that names `what` for no samples or one that is not
/// finite; `fraction` is in [0, 1].
double quantile_of(std::span<const double> samples, double fraction, std::string_view what);

/// Student's t: the value that a t-distributed figure of `degrees` >= 1 degrees of freedom passes, in absolute terms,
/// with probability 5 %. 4.3027 for 2 degrees, 1.96 for very many.
double student_t95(Count degrees);

}  // namespace tilemeter
