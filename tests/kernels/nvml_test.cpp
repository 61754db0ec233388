// Clock samples in figures, and the management library through a stand-in of known figures.
#include "kernels/nvml.hpp"

#include "model/error.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {
const std::string library = FAKE_NVML;
constexpr const char* bus_id = "0000:01:00.0";
}  // namespace

TEST_CASE("samples of a GPU come in SI units, and what it does not tell is absent") {
  const Nvml nvml(bus_id, library);
  CHECK(nvml.driver() == "123.45.06");
  const ClockSample sample = nvml.sample();
  CHECK(sample.sm_hertz == 1.755e9);
  CHECK(sample.memory_hertz == 3.201e9);
  CHECK(sample.joules.has_value());
  CHECK_FALSE(sample.watts.has_value());
  CHECK(sample.reasons == 0x24u);
}

TEST_CASE("a missing library, one that is none, and an unknown GPU say so in one line") {
  CHECK_THROWS_WITH(Nvml(bus_id, "libno-such-library.so.1"),
                    contains("NVML is missing") && contains("libno-such-library.so.1"));
  CHECK_THROWS_WITH(Nvml(bus_id, "libm.so.6"), contains("the library has no nvmlInit_v2"));
  CHECK_THROWS_WITH(Nvml("0000:02:00.0", library), contains("nvmlDeviceGetHandleByPciBusId_v2: Not Found"));
}

TEST_CASE("a sampler looks until it is stopped, at least once") {
  ClockSampler brief(Nvml(bus_id, library), std::chrono::hours(1));
  CHECK(brief.stop().size() == 1);

  ClockSampler sampler(Nvml(bus_id, library), std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::vector<ClockSample> samples = sampler.stop();
  REQUIRE(samples.size() >= 2);
  CHECK(samples.size() <= 60);
  for (std::size_t i = 1; i < samples.size(); ++i) {
    CHECK(samples[i].seconds > samples[i - 1].seconds);
    CHECK(*samples[i].joules == *samples[i - 1].joules + 7);
  }
}

TEST_CASE("samples are summed up") {
  const std::vector<ClockSample> samples = {
      {.seconds = 1, .sm_hertz = 1e9, .memory_hertz = 3e9, .watts = 500, .joules = 1000, .reasons = 0x4},
      {.seconds = 2, .sm_hertz = 2e9, .memory_hertz = 3e9, .watts = 500, .joules = {}, .reasons = 0x1},
      {.seconds = 3, .sm_hertz = 3e9, .memory_hertz = {}, .watts = 800, .joules = 2200, .reasons = {}},
  };
  const ClockSummary summary = summarise_clocks(samples);
  CHECK(summary.samples == 3);
  CHECK(summary.seconds == 2);
  CHECK(summary.sm_hertz == 2e9);
  CHECK(summary.sm_hertz_least == 1e9);
  CHECK(summary.sm_hertz_most == 3e9);
  CHECK(summary.memory_hertz == 3e9);
  CHECK(summary.watts == 600);
  CHECK(summary.reasons == 0x5u);
  CHECK(summary.throttled_share == 1.0 / 3);

  CHECK(summarise_clocks(std::span(samples).subspan(1, 1)).watts == 500);
  CHECK_FALSE(summarise_clocks(std::vector<ClockSample>(2)).watts.has_value());
  CHECK_THROWS_AS(summarise_clocks({}), InputError);
}

TEST_CASE("reasons have names, and only some hold the clock down") {
  CHECK(clock_reasons_text(0) == "none");
  CHECK(clock_reasons_text(0x1) == "idle");
  CHECK(clock_reasons_text(0x24) == "power cap, thermal slowdown");
  CHECK(clock_reasons_text(0x80000004) == "power cap, 0x80000000");
  CHECK_FALSE(holds_clock_down(0x113));
  CHECK(holds_clock_down(0x1 | 0x80));
}
