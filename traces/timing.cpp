#include "traces/timing.hpp"

#include <algorithm>
#include <cmath>

#include "model/digits.hpp"

namespace tilemeter {
namespace {

constexpr double outlier_fence = 1.5;
constexpr double many_outliers = 0.1;

void require_valid(const TimedSamples& samples) {
  const auto valid = [](double seconds) { return std::isfinite(seconds) && seconds > 0; };
  if (samples.seconds.size() >= 2 && std::all_of(samples.seconds.begin(), samples.seconds.end(), valid)) return;
  std::string message = "no valid samples: " + std::to_string(samples.seconds.size()) + " kept, " +
                        std::to_string(samples.discarded) + " discarded because heat or protection slowed the clock";
  const auto wrong = std::find_if_not(samples.seconds.begin(), samples.seconds.end(), valid);
  if (wrong != samples.seconds.end()) message += "; one is " + std::to_string(*wrong) + " s";
  throw NoValidSamples(message);
}

/// What the readings say in `member`, where they do.
template <class Value>
std::vector<double> values_of(const std::vector<ClockReading>& readings, std::optional<Value> ClockReading::*member) {
  std::vector<double> values;
  for (const ClockReading& reading : readings) {
    if (reading.*member) values.push_back((reading.*member)->value);
  }
  return values;
}

template <class Value>
std::optional<Value> median_of(const std::vector<double>& values, std::string_view what) {
  if (values.empty()) return std::nullopt;
  return Value{quantile_of(values, 0.5, what)};
}

/// From the first and the last reading of the energy, when it grew between them.
std::optional<Watts> power_of(const std::vector<ClockReading>& readings) {
  const ClockReading *first = nullptr, *last = nullptr;
  std::vector<double> powers;
  for (const ClockReading& reading : readings) {
    if (reading.power) powers.push_back(reading.power->value);
    if (!reading.joules) continue;
    if (first == nullptr) first = &reading;
    last = &reading;
  }
  if (first != last && *last->joules > *first->joules && first->at < last->at) {
    return Watts{(*last->joules - *first->joules) / (last->at.value - first->at.value)};
  }
  if (powers.empty()) return std::nullopt;
  return Watts{mean_of(powers, "power")};
}

std::optional<double> largest_fall(const std::vector<double>& clocks) {
  if (clocks.empty()) return std::nullopt;
  double highest = clocks.front(), fall = 0;
  for (const double clock : clocks) {
    highest = std::max(highest, clock);
    fall = std::max(fall, 1 - clock / highest);
  }
  return fall;
}

Count outliers_in(const std::vector<double>& samples, double first_quartile, double third_quartile) {
  const double reach = outlier_fence * (third_quartile - first_quartile);
  return std::count_if(samples.begin(), samples.end(), [&](double sample) {
    return sample < first_quartile - reach || sample > third_quartile + reach;
  });
}

std::string percent(double share) { return fixed_digits(100 * share, 1) + " %"; }

std::string text_of(Seconds time) { return significant_digits(1e6 * time.value, 4) + " us"; }

/// The least time of the launch's arithmetic at the highest clock; 0 where the peak is unknown.
Seconds arithmetic_floor(const LaunchDemand& demand, const DevicePeaks& peaks) {
  if (!peaks.arithmetic) return {0};
  const double speed = std::max(1.0, peaks.highest_clock.value / peaks.arithmetic_clock.value);
  return {(demand.flops / *peaks.arithmetic).value / speed};
}

/// Bytes that cannot but cross the pins of device memory during the launch.
double unavoidable_bytes(CacheState cache, const LaunchDemand& demand, const DevicePeaks& peaks) {
  const auto reads = static_cast<double>(demand.compulsory.value() - demand.writes.value());
  if (cache == CacheState::cold) return reads;
  return std::max(0.0, reads - static_cast<double>(peaks.l2.value()));
}

Seconds memory_floor(double bytes, const DevicePeaks& peaks) { return {peaks.hbm ? bytes / peaks.hbm->value : 0}; }

std::optional<std::string> impossible(const TimeSummary& summary, const LaunchDemand& demand,
                                      const DevicePeaks& peaks) {
  const Seconds time{summary.seconds.p50};
  const Seconds arithmetic = arithmetic_floor(demand, peaks);
  if (time < arithmetic) return text_of(time) + " is less than FLOPs / peak, " + text_of(arithmetic);
  const Seconds memory = memory_floor(unavoidable_bytes(summary.cache, demand, peaks), peaks);
  if (time < memory) return text_of(time) + " is less than unique bytes / bandwidth, " + text_of(memory);
  return std::nullopt;
}

std::vector<std::string> labels_of(const TimeSummary& summary, const LaunchDemand& demand, const DevicePeaks& peaks,
                                   const TimeVerdict& verdict) {
  std::vector<std::string> labels;
  const Seconds predicted =
      std::max(arithmetic_floor(demand, peaks), memory_floor(static_cast<double>(demand.compulsory.value()), peaks));
  const bool known = peaks.arithmetic && peaks.hbm;
  if (Seconds{summary.seconds.p50} < launch_bound_below) {
    labels.emplace_back("launch-bound");
  } else if (known && predicted < launch_bound_below) {
    labels.push_back("launch-bound at the least time, " + text_of(predicted));
  }
  if (verdict.share_of_hbm.value_or(0) > 1) labels.emplace_back("L2-resident");
  if (peaks.l2 > Bytes(0) && demand.compulsory <= peaks.l2) {
    labels.emplace_back("fits in the L2: the share of device memory's bandwidth says little");
  }
  if (summary.clock_fall.value_or(0) > tolerated_clock_fall) {
    labels.push_back("clock fell by " + percent(*summary.clock_fall));
  }
  if (summary.power_capped) labels.emplace_back("power-capped");
  if (summary.slowed_down) labels.emplace_back("slowed down by heat or protection");
  if (static_cast<double>(summary.outliers) > many_outliers * static_cast<double>(summary.seconds.count)) {
    labels.push_back(std::to_string(summary.outliers) + " of " + std::to_string(summary.seconds.count) + " outliers");
  }
  return labels;
}

}  // namespace

std::string_view name_of(CacheState cache) { return cache == CacheState::cold ? "cold" : "warm"; }

std::string_view name_of(TimingMethod method) {
  switch (method) {
    case TimingMethod::single_launch:
      return "single launch";
    case TimingMethod::batch:
      return "batch";
    case TimingMethod::graph_replay:
      return "graph replay";
  }
  return "";
}

TimeSummary summarise(const TimedSamples& samples) {
  require_valid(samples);
  TimeSummary summary{.cache = samples.cache,
                      .method = samples.method,
                      .launches = samples.launches,
                      .flushed = samples.flushed,
                      .seconds = summarise(samples.seconds, "samples"),
                      .discarded = samples.discarded};
  const double first = quantile_of(samples.seconds, 0.25, "samples");
  const double third = quantile_of(samples.seconds, 0.75, "samples");
  summary.quartile_range = third - first;
  summary.outliers = outliers_in(samples.seconds, first, third);
  for (const ClockReading& reading : samples.readings) {
    summary.power_capped = summary.power_capped || reading.power_capped;
    summary.slowed_down = summary.slowed_down || reading.slowed_down;
  }
  const std::vector<double> clocks = values_of(samples.readings, &ClockReading::sm_clock);
  summary.sm_clock = median_of<Hertz>(clocks, "SM clocks");
  summary.clock_fall = largest_fall(clocks);
  summary.memory_clock = median_of<Hertz>(values_of(samples.readings, &ClockReading::memory_clock), "memory clocks");
  summary.power = power_of(samples.readings);
  return summary;
}

TimeVerdict judge(const TimeSummary& summary, const LaunchDemand& demand, const DevicePeaks& peaks) {
  const double seconds = summary.seconds.p50;
  TimeVerdict verdict{.invalid = impossible(summary, demand, peaks)};
  verdict.flops_per_second = static_cast<double>(demand.flops.value()) / seconds;
  verdict.compulsory_bytes_per_second = static_cast<double>(demand.compulsory.value()) / seconds;
  if (peaks.arithmetic) {
    const double clock = summary.sm_clock.value_or(peaks.arithmetic_clock).value;
    verdict.share_of_peak = verdict.flops_per_second / (peaks.arithmetic->value * clock / peaks.arithmetic_clock.value);
  }
  if (peaks.hbm) verdict.share_of_hbm = verdict.compulsory_bytes_per_second / peaks.hbm->value;
  verdict.labels = labels_of(summary, demand, peaks, verdict);
  return verdict;
}

}  // namespace tilemeter
