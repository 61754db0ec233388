// What is said of samples whose truth is known.
#include "traces/timing.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

TimedSamples samples_of(std::vector<double> seconds, CacheState cache = CacheState::cold) {
  return {.cache = cache, .seconds = std::move(seconds)};
}

/// A measurement whose samples are all about `seconds`.
TimeSummary steady(double seconds, CacheState cache = CacheState::warm) {
  return summarise(samples_of(std::vector<double>(20, seconds), cache));
}

std::vector<ClockReading> clocks(const std::vector<double>& megahertz) {
  std::vector<ClockReading> readings;
  for (const double clock : megahertz) readings.push_back({.sm_clock = Hertz{clock * 1e6}});
  return readings;
}

constexpr DevicePeaks h100{.arithmetic = OpsPerSecond{989.4e12},
                           .arithmetic_clock = {1.83e9},
                           .highest_clock = {1.98e9},
                           .hbm = BytesPerSecond{3.35e12},
                           .l2 = Bytes(50 << 20)};
constexpr DevicePeaks rtx5090{.hbm = BytesPerSecond{1792e9}, .l2 = Bytes(96 << 20)};

bool has(const TimeVerdict& verdict, std::string_view label) {
  for (const std::string& own : verdict.labels) {
    if (own.find(label) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a summary has the quartile range and the outliers of known samples") {
  std::vector<double> seconds = {10, 11, 12, 13, 14, 15, 16, 17, 18, 100};
  const TimeSummary summary = summarise(samples_of(seconds));
  CHECK(summary.seconds.p50 == 14.5);
  CHECK(summary.seconds.least == 10);
  CHECK(summary.quartile_range == Approx(4.5));
  CHECK(summary.outliers == 1);
  CHECK(!summary.sm_clock);
  CHECK(!summary.power);
  CHECK(!summary.clock_fall);
}

TEST_CASE("a summary has the median clock, the mean power and what held the clock down") {
  TimedSamples samples = samples_of({1, 1, 1});
  samples.readings = {{.sm_clock = Hertz{1.0e9}, .memory_clock = Hertz{2.6e9}, .power = Watts{300}},
                      {.sm_clock = Hertz{1.9e9}, .power = Watts{500}, .power_capped = true},
                      {.sm_clock = Hertz{1.8e9}, .power = Watts{700}}};
  const TimeSummary summary = summarise(samples);
  CHECK(summary.sm_clock == Hertz{1.8e9});
  CHECK(summary.memory_clock == Hertz{2.6e9});
  CHECK(summary.power == Watts{500});
  CHECK(summary.power_capped);
  CHECK(!summary.slowed_down);
  samples.readings.front() = {.at = {1}, .power = Watts{300}, .joules = 1000.0};
  samples.readings.back() = {.at = {3}, .power = Watts{300}, .joules = 2200.0};
  CHECK(summarise(samples).power == Watts{600});
}

TEST_CASE("F1: a time below FLOPs / peak or below unique bytes / bandwidth is invalid") {
  // 26.9 us whatever the size: 16384 keys, 32 heads, d 128.
  const LaunchDemand large{.flops = Flops(Count{4} * 32 * 16384 * 16384 * 128), .compulsory = Bytes(Count{512} << 20)};
  const TimeVerdict wrong = judge(steady(26.9e-6), large, h100);
  REQUIRE(wrong.invalid);
  CHECK_THAT(*wrong.invalid, contains("FLOPs / peak"));
  CHECK(!judge(steady(6e-3), large, h100).invalid);
  const LaunchDemand copy{.compulsory = Bytes(Count{2} << 30), .writes = Bytes(Count{1} << 30)};
  const TimeVerdict fast = judge(steady(200e-6, CacheState::cold), copy, h100);
  REQUIRE(fast.invalid);
  CHECK_THAT(*fast.invalid, contains("bandwidth"));
  CHECK(!judge(steady(700e-6, CacheState::cold), copy, h100).invalid);
}

TEST_CASE("F1: a peak stated below the highest clock is not a floor before it is scaled") {
  const LaunchDemand demand{.flops = Flops(989'400'000'000)};  // 1 ms at 1.83 GHz, 0.924 ms at 1.98 GHz
  CHECK(!judge(steady(0.95e-3), demand, h100).invalid);
  CHECK(judge(steady(0.92e-3), demand, h100).invalid);
}

TEST_CASE("F2: a single shot is no measurement") {
  CHECK_THROWS_AS(summarise(samples_of({0.49})), NoValidSamples);
  CHECK(summarise(samples_of({0.49, 0.001, 0.001})).seconds.p50 == 0.001);
}

TEST_CASE("F3: below 5 us, measured or predicted, a launch is launch-bound") {
  const LaunchDemand tiny{.flops = Flops(4 * 64 * 64 * 64), .compulsory = Bytes(4 * 64 * 64 * 2)};
  CHECK(has(judge(steady(60e-6), tiny, h100), "launch-bound"));
  CHECK(has(judge(steady(4.9e-6), tiny, {}), "launch-bound"));
  const LaunchDemand large{.flops = Flops(100'000'000'000), .compulsory = Bytes(Count{1} << 30)};
  CHECK(!has(judge(steady(400e-6), large, h100), "launch-bound"));
}

TEST_CASE("F7: a rate above the peak of device memory is the L2's") {
  const LaunchDemand demand{.flops = Flops(0), .compulsory = Bytes(16'777'216), .writes = Bytes(4'194'304)};
  const TimeVerdict verdict = judge(steady(16'777'216 / 3117e9), demand, rtx5090);
  CHECK(!verdict.invalid);
  CHECK(has(verdict, "L2-resident"));
  CHECK(*verdict.share_of_hbm == Approx(3117.0 / 1792));
}

TEST_CASE("F8: the same on other GPUs, and never for what no L2 could hold") {
  const DevicePeaks rtx4090{.hbm = BytesPerSecond{1008e9}, .l2 = Bytes(72 << 20)};
  const DevicePeaks rtx4060ti{.hbm = BytesPerSecond{288e9}, .l2 = Bytes(32 << 20)};
  const LaunchDemand set{.compulsory = Bytes(20 << 20)};
  const double bytes = 20 << 20;
  CHECK(has(judge(steady(bytes / 3868e9), set, rtx4090), "L2-resident"));
  CHECK(has(judge(steady(bytes / 968e9), set, rtx4060ti), "L2-resident"));
  const LaunchDemand large{.compulsory = Bytes(Count{1} << 30)};
  CHECK(judge(steady(static_cast<double>(1 << 30) / 3868e9), large, rtx4090).invalid);
}

TEST_CASE("E14: writes that stay in the L2 do not make a cold time invalid") {
  const LaunchDemand small_output{.compulsory = Bytes(8 << 20), .writes = Bytes(4 << 20)};
  const double at_reads_alone = (4 << 20) / 3.3e12;
  CHECK(!judge(steady(at_reads_alone, CacheState::cold), small_output, h100).invalid);
  CHECK(judge(steady(at_reads_alone, CacheState::cold), {.compulsory = Bytes(8 << 20)}, h100).invalid);
}

TEST_CASE("G13: a set that fits in the L2 carries a warning beside its share of device memory's peak") {
  const LaunchDemand kv{.flops = Flops(Count{4} * 4 * 16384 * 128), .compulsory = Bytes(33'554'432)};
  const DevicePeaks h100_pcie{.hbm = BytesPerSecond{2.0e12}, .l2 = Bytes(50 << 20)};
  const TimeVerdict verdict = judge(steady(26.93e-6), kv, h100_pcie);
  CHECK(verdict.compulsory_bytes_per_second / 1e9 == Approx(1246.0).epsilon(1e-4));
  CHECK(has(verdict, "fits in the L2"));
  CHECK(!has(verdict, "L2-resident"));
  CHECK(!has(judge(steady(1e-3), {.compulsory = Bytes(Count{1} << 30)}, h100_pcie), "fits in the L2"));
}

TEST_CASE("E15: bytes in a time that device memory cannot give are inconsistent, not 100.3 %") {
  const LaunchDemand kv{.flops = Flops(1000), .compulsory = Bytes(268'435'456)};
  const DevicePeaks rtx4090{.hbm = BytesPerSecond{983.04e9}, .l2 = Bytes(72 << 20)};
  const TimeVerdict verdict = judge(steady(272.16e-6, CacheState::cold), kv, rtx4090);
  REQUIRE(verdict.invalid);
  CHECK_THAT(*verdict.invalid, contains("bandwidth"));
  CHECK(!judge(steady(273.2e-6, CacheState::cold), kv, rtx4090).invalid);
}

TEST_CASE("I1: a clock that falls by more than 5 % over the samples is reported") {
  TimedSamples samples = samples_of(std::vector<double>(100, 1e-3));
  samples.readings = clocks({1965, 1965, 1900, 1700, 1580, 1600});
  const TimeSummary summary = summarise(samples);
  CHECK(*summary.clock_fall == Approx(1 - 1580.0 / 1965));
  CHECK(has(judge(summary, {}, h100), "clock fell by 19.6 %"));
  samples.readings = clocks({1965, 1950, 1870, 1965});
  CHECK(!has(judge(summarise(samples), {}, h100), "clock fell"));
  samples.readings = clocks({1500, 1800, 1965});
  CHECK(*summarise(samples).clock_fall == 0);
}

TEST_CASE("I2: no valid samples is an error in words, never a NaN") {
  TimedSamples none;
  none.discarded = 30;
  CHECK_THROWS_WITH(summarise(none), contains("no valid samples") && contains("30 discarded"));
  for (const double wrong : {std::nan(""), 0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(summarise(samples_of({1, wrong, 1})), NoValidSamples);
  }
}

TEST_CASE("I3: the share of the peak is that at the clock measured") {
  const DevicePeaks part{.arithmetic = OpsPerSecond{100e12}, .arithmetic_clock = {2062e6}, .highest_clock = {2062e6}};
  const LaunchDemand demand{.flops = Flops(28'000'000'000)};
  TimedSamples samples = samples_of(std::vector<double>(20, 1e-3));
  CHECK(*judge(summarise(samples), demand, part).share_of_peak == Approx(0.280));
  samples.readings = clocks({1200, 1200});
  CHECK(*judge(summarise(samples), demand, part).share_of_peak == Approx(0.280 * 2062 / 1200));
}

TEST_CASE("held-down clocks and many outliers are labels") {
  TimedSamples samples = samples_of({1, 1.01, 1.02, 1.03, 1.01, 1.02, 5, 6});
  samples.readings = {{.power_capped = true}, {.slowed_down = true}};
  const TimeVerdict verdict = judge(summarise(samples), {}, {});
  CHECK(has(verdict, "power-capped"));
  CHECK(has(verdict, "slowed down"));
  CHECK(has(verdict, "2 of 8 outliers"));
}

TEST_CASE("what is not known of the device is left out") {
  const TimeVerdict verdict = judge(steady(1e-3), {.flops = Flops(1000), .compulsory = Bytes(1000)}, {});
  CHECK(!verdict.invalid);
  CHECK(!verdict.share_of_peak);
  CHECK(!verdict.share_of_hbm);
  CHECK(verdict.labels.empty());
  CHECK(verdict.flops_per_second == Approx(1e6));
}
