#include "kernels/probe_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/probe_figure.hpp"
#include "model/statistics.hpp"

namespace tilemeter::kernels {

Figure figure_of(const std::string& key, std::span<const double> samples, std::optional<Hertz> clock) {
  if (find_probe_key(key) == nullptr) throw std::logic_error(key + ": not a key of model/probe_keys");
  const Summary summary = summarise(samples, key);
  return {
      .key = key, .value = summary.p50, .half_width95 = summary.half_width95, .samples = summary.count, .clock = clock};
}

TransferFit fit_transfers(std::span<const Transfer> transfers) {
  // Divided by its bytes, a time t0 + b / BW is a straight line in 1 / b.
  Observations observations("transfers", {"overhead", "seconds a byte"});
  for (const Transfer& transfer : transfers) {
    observations.add(std::vector<double>{1 / transfer.bytes, 1}, transfer.seconds / transfer.bytes);
  }
  const Fit fit = observations.fit();
  const Coefficient& slope = fit["seconds a byte"];
  return {.overhead = fit["overhead"],
          .bandwidth = {"bandwidth", 1 / slope.value, slope.half_width95 / (slope.value * slope.value)},
          .observations = fit.observations};
}

double plateau_of(std::span<const Reading> readings, const FootprintRange& cached) {
  std::vector<double> speeds;
  for (const Reading& reading : readings) {
    if (reading.bytes >= cached.least && reading.bytes <= cached.most) speeds.push_back(reading.bytes_per_second);
  }
  return quantile_of(speeds, 0.5, "footprints that the cache holds");
}

double knee_of(std::span<const Reading> readings, const FootprintRange& cached) {
  constexpr double kept = 0.9;
  const double least = kept * plateau_of(readings, cached);
  const auto first = std::find_if(readings.begin(), readings.end(), [&](const Reading& reading) {
    return reading.bytes >= cached.least && reading.bytes_per_second < least;
  });
  if (first == readings.end() || first->bytes <= cached.most) {
    throw InputError("footprints: the bandwidth does not keep up in the cache and fall beyond it");
  }
  const Reading& above = *(first - 1);
  const double fallen = (above.bytes_per_second - least) / (above.bytes_per_second - first->bytes_per_second);
  return std::lerp(above.bytes, first->bytes, fallen);
}

TwoGroups two_groups(std::span<const double> latencies) {
  std::vector<double> sorted(latencies.begin(), latencies.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.front() == sorted.back()) {
    throw InputError("latencies: " + std::to_string(sorted.size()) + " equal values; two groups need different ones");
  }
  // The least sum of squares within two groups is the largest between them.
  double total = 0;
  for (const double value : sorted) total += value;
  double below = 0, best = -1;
  std::size_t split = 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1];
    const auto lower = static_cast<double>(i), upper = static_cast<double>(sorted.size() - i);
    const double distance = below / lower - (total - below) / upper;
    const double between = lower * upper * distance * distance;
    if (between > best) {
      best = between;
      split = i;
    }
  }
  const std::span<const double> all(sorted);
  return {.near = quantile_of(all.first(split), 0.5, "near latencies"),
          .far = quantile_of(all.subspan(split), 0.5, "far latencies"),
          .near_share = static_cast<double>(split) / static_cast<double>(sorted.size())};
}

std::vector<double> slowdowns(std::span<const double> beside, std::span<const double> alone) {
  if (beside.size() != alone.size()) throw InputError("slowdowns: samples of different numbers");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < beside.size(); ++i) {
    if (!(beside[i] > 0 && alone[i] > 0)) throw InputError("slowdowns: a time that is not positive");
    ratios.push_back(beside[i] / alone[i]);
  }
  return ratios;
}

}  // namespace tilemeter::kernels
