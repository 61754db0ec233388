#include "kernels/clock_samples.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "model/error.hpp"

namespace tilemeter::kernels {
namespace {

struct Reason {
  std::uint64_t bit;
  std::string_view name;
  bool holds_down;
};

// NVML reference manual, nvmlClocksEventReasons.
constexpr std::array<Reason, 9> known_reasons = {{
    {0x001, "idle", false},
    {0x002, "application clocks", false},
    {0x004, "power cap", true},
    {0x008, "hardware slowdown", true},
    {0x010, "sync boost", false},
    {0x020, "thermal slowdown", true},
    {0x040, "hardware thermal slowdown", true},
    {0x080, "hardware power brake", true},
    {0x100, "display clocks", false},
}};

/// The values of the samples that have one.
template <class Member>
std::vector<double> values_of(std::span<const ClockSample> samples, Member member) {
  std::vector<double> values;
  for (const ClockSample& sample : samples) {
    if (sample.*member) values.push_back(*(sample.*member));
  }
  return values;
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// From the energy counter when it moved between two samples that have it.
std::optional<double> mean_watts(std::span<const ClockSample> samples) {
  const ClockSample *first = nullptr, *last = nullptr;
  for (const ClockSample& sample : samples) {
    if (!sample.joules) continue;
    if (first == nullptr) first = &sample;
    last = &sample;
  }
  if (first != last && *last->joules > *first->joules) {
    return (*last->joules - *first->joules) / (last->seconds - first->seconds);
  }
  return mean(values_of(samples, &ClockSample::watts));
}

}  // namespace

ClockSummary summarise_clocks(std::span<const ClockSample> samples) {
  if (samples.empty()) throw InputError("clock samples: none; at least 1 is needed");
  const auto count = static_cast<Count>(samples.size());
  const std::vector<double> sm = values_of(samples, &ClockSample::sm_hertz);
  ClockSummary summary{.samples = count, .seconds = samples.back().seconds - samples.front().seconds};
  summary.sm_hertz = mean(sm);
  if (!sm.empty()) {
    summary.sm_hertz_least = *std::min_element(sm.begin(), sm.end());
    summary.sm_hertz_most = *std::max_element(sm.begin(), sm.end());
  }
  summary.memory_hertz = mean(values_of(samples, &ClockSample::memory_hertz));
  summary.watts = mean_watts(samples);
  Count throttled = 0;
  for (const ClockSample& sample : samples) {
    if (!sample.reasons) continue;
    summary.reasons = summary.reasons.value_or(0) | *sample.reasons;
    throttled += holds_clock_down(*sample.reasons) ? 1 : 0;
  }
  summary.throttled_share = static_cast<double>(throttled) / static_cast<double>(count);
  return summary;
}

bool holds_clock_down(std::uint64_t reasons) {
  return std::any_of(known_reasons.begin(), known_reasons.end(),
                     [&](const Reason& reason) { return reason.holds_down && (reasons & reason.bit) != 0; });
}

std::string clock_reasons_text(std::uint64_t reasons) {
  if (reasons == 0) return "none";
  std::string text;
  const auto add = [&](std::string_view name) { text.append(text.empty() ? "" : ", ").append(name); };
  for (const Reason& reason : known_reasons) {
    if ((reasons & reason.bit) != 0) add(reason.name);
    reasons &= ~reason.bit;
  }
  if (reasons != 0) {
    char hexadecimal[24];
    std::snprintf(hexadecimal, sizeof hexadecimal, "0x%llx", static_cast<unsigned long long>(reasons));
    add(hexadecimal);
  }
  return text;
}

}  // namespace tilemeter::kernels
