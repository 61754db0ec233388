#include "kernels/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilemeter::kernels {
namespace {

constexpr double roundings = 2;
constexpr double least_error = 1e-5;

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// The first reason against the tensor. Written so that NaN errors fail.
std::optional<std::string> failure_of(const ErrorSums& sums, const Agreement& agreement) {
  if (sums.compared == 0) return "nothing was compared";
  if (sums.not_finite > 0) {
    return std::to_string(sums.not_finite) + " of " + std::to_string(sums.compared) +
           " elements compared are NaN or another infinity";
  }
  if (!(agreement.error <= agreement.tolerance)) {
    return "relative error " + text_of(agreement.error) + " is above " + text_of(agreement.tolerance);
  }
  if (agreement.allowed_max_error && !(agreement.max_error <= *agreement.allowed_max_error)) {
    return "largest error " + text_of(agreement.max_error) + " is above " + text_of(*agreement.allowed_max_error);
  }
  return std::nullopt;
}

}  // namespace

ErrorSums operator+(const ErrorSums& a, const ErrorSums& b) {
  return {a.squared_error + b.squared_error,
          a.squared_norm + b.squared_norm,
          std::fmax(a.max_error, b.max_error),
          std::fmax(a.max_relative_error, b.max_relative_error),
          std::fmax(a.max_rounding_error, b.max_rounding_error),
          a.compared + b.compared,
          a.not_finite + b.not_finite};
}

Agreement judge(const ErrorSums& sums, ErrorMeasure measure, double tolerance, double growth) {
  const double norm = std::sqrt(sums.squared_norm);
  Agreement agreement{.tolerance = tolerance, .max_error = sums.max_error, .not_finite = sums.not_finite};
  if (measure == ErrorMeasure::each) {
    agreement.error = sums.max_relative_error;
  } else {
    agreement.error = std::sqrt(sums.squared_error) / (norm > 0 ? norm : 1);
    agreement.rms = agreement.error;
    agreement.allowed_max_error = roundings * growth * sums.max_rounding_error + least_error;
  }
  agreement.failure = failure_of(sums, agreement);
  return agreement;
}

}  // namespace tilemeter::kernels
