// What errors say together.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tools/validate/row.hpp"

namespace tilemeter::validation {

/// 90 % of a normal distribution lie within so many standard deviations.
inline constexpr double interval_quantile = 1.6448536269514722;
inline constexpr double interval_share = 0.9;

/// Of at least one value; of an even number the mean of the two in the middle.
double median_of(std::vector<double> values);

/// 1.4826 times the median distance from the median: the standard deviation of normal values, whatever a few wild ones
/// do. Absent for fewer than 3 values.
std::optional<double> robust_spread(const std::vector<double>& values);

/// The errors of some rows, as shares of what was measured.
struct ErrorSummary {
  Count count = 0;
  double mean = 0;                         ///< of the absolute errors
  double median = 0;                       ///< likewise
  double most = 0;                         ///< likewise
  double bias = 0;                         ///< mean of the signed errors
  const Row* worst = nullptr;              ///< the row of `most`
  std::optional<double> coverage{};        ///< share of rows whose interval holds what was measured
  Count intervals = 0;                     ///< rows with an interval
  std::optional<double> roofline_mean{};   ///< mean absolute error of the roofline on the same rows
  std::optional<double> two_level_mean{};  ///< of the model without an L2
};

/// Of at least one row.
ErrorSummary summary_of(const std::vector<const Row*>& rows);

/// The rows with the largest absolute errors, largest first, at most `most`.
std::vector<const Row*> worst_of(std::vector<const Row*> rows, std::size_t most);

}  // namespace tilemeter::validation
