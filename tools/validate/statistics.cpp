#include "tools/validate/statistics.hpp"

#include <algorithm>
#include <cassert>

namespace tilemeter::validation {
namespace {

/// Mean absolute error of a baseline; absent where a row has none.
std::optional<double> mean_error(const std::vector<const Row*>& rows, std::optional<double> Baselines::*baseline) {
  double sum = 0;
  for (const Row* row : rows) {
    const std::optional<double>& seconds = row->baselines.*baseline;
    if (!seconds) return std::nullopt;
    sum += std::abs(row->error_of(*seconds));
  }
  return sum / static_cast<double>(rows.size());
}

}  // namespace

double median_of(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> robust_spread(const std::vector<double>& values) {
  if (values.size() < 3) return std::nullopt;
  const double centre = median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  constexpr double normal = 1.4826;
  return normal * median_of(distances);
}

ErrorSummary summary_of(const std::vector<const Row*>& rows) {
  assert(!rows.empty());
  ErrorSummary summary{.count = static_cast<Count>(rows.size())};
  std::vector<double> errors;
  Count inside = 0;
  for (const Row* row : rows) {
    const double error = row->error();
    errors.push_back(std::abs(error));
    summary.bias += error;
    summary.mean += std::abs(error);
    if (summary.worst == nullptr || std::abs(error) > summary.most) summary.worst = row;
    summary.most = std::max(summary.most, std::abs(error));
    if (const auto held = row->inside()) {
      ++summary.intervals;
      if (*held) ++inside;
    }
  }
  summary.bias /= static_cast<double>(rows.size());
  summary.mean /= static_cast<double>(rows.size());
  summary.median = median_of(std::move(errors));
  if (summary.intervals > 0) summary.coverage = static_cast<double>(inside) / static_cast<double>(summary.intervals);
  summary.roofline_mean = mean_error(rows, &Baselines::roofline);
  summary.two_level_mean = mean_error(rows, &Baselines::two_level);
  return summary;
}

std::vector<const Row*> worst_of(std::vector<const Row*> rows, std::size_t most) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row* a, const Row* b) { return std::abs(a->error()) > std::abs(b->error()); });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

}  // namespace tilemeter::validation
