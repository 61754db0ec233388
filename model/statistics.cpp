#include "model/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace tilemeter {
namespace {

void require_samples(std::span<const double> samples, std::size_t least, std::string_view what) {
  if (samples.size() < least) {
    throw InputError(std::string(what) + ": " + std::to_string(samples.size()) +
                     (samples.size() == 1 ? " sample" : " samples") + "; at least " + std::to_string(least) +
                     " are needed");
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::isfinite(samples[i])) continue;
    throw InputError(std::string(what) + ": sample " + std::to_string(i + 1) + " is " + std::to_string(samples[i]) +
                     "; expected finite numbers");
  }
}

double mean_of_checked(std::span<const double> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

/// Around the mean, so that large equal parts cancel exactly.
double deviation(std::span<const double> samples, double mean) {
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

double quantile_of_sorted(std::span<const double> sorted, double fraction) {
  assert(fraction >= 0 && fraction <= 1);
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

double student_t95(Count degrees) {
  assert(degrees >= 1);
  const boost::math::students_t_distribution<double> distribution(static_cast<double>(degrees));
  return boost::math::quantile(distribution, 0.975);
}

double mean_of(std::span<const double> samples, std::string_view what) {
  require_samples(samples, 1, what);
  return mean_of_checked(samples);
}

double quantile_of(std::span<const double> samples, double fraction, std::string_view what) {
  require_samples(samples, 1, what);
  return quantile_of_sorted(sorted(samples), fraction);
}

Summary summarise(std::span<const double> samples, std::string_view what) {
  require_samples(samples, 2, what);
  const auto count = static_cast<Count>(samples.size());
  const double mean = mean_of_checked(samples);
  const double standard_deviation = deviation(samples, mean);
  const std::vector<double> values = sorted(samples);
  return {.count = count,
          .mean = mean,
          .standard_deviation = standard_deviation,
          .least = values.front(),
          .p5 = quantile_of_sorted(values, 0.05),
          .p50 = quantile_of_sorted(values, 0.50),
          .p95 = quantile_of_sorted(values, 0.95),
          .most = values.back(),
          .half_width95 = student_t95(count - 1) * standard_deviation / std::sqrt(static_cast<double>(count))};
}

}  // namespace tilemeter
