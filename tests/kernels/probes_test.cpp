// The probes on a GPU: what they measure with, on work of known duration; what they check with, on wrong results; and
// every probe, against what no GPU can exceed.
#include "kernels/probes.hpp"

#include <map>

#include "tests/kernels/probe_truth.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

ProbeSettings quick() { return {.gpu = gpu_info(), .repetitions = 3, .sustained = {0.2}}; }

/// The figures of a probe by key; none when this GPU lacks what it measures.
std::map<std::string, Figure> figures_of(std::string_view name) {
  std::map<std::string, Figure> figures;
  try {
    for (const Figure& figure : probe_named(name).run(quick())) figures[figure.key] = figure;
  } catch (const ProbeUnavailable& reason) {
    WARN(name << ": " << reason.what());
  }
  return figures;
}

}  // namespace

TEST_CASE("a kernel that spins for 2 ms takes 2 ms") {
  for (const double seconds : seconds_of_spinning({2e-3}, 5)) CHECK(seconds == Approx(2e-3).epsilon(0.02));
}

TEST_CASE("steps that spin for 10,000 clocks take 10,000 clocks each") {
  const SpunClocks spun = clocks_of_spinning(10'000, 20);
  for (const double clocks : spun.clocks) CHECK(clocks == Approx(200'000).epsilon(0.01));
  CHECK(spun.rate.value > 2e8);
  CHECK(spun.rate.value < 1.05 * gpu_info().clock_boost.value);
}

TEST_CASE("wrong results are found") {
  CHECK_THROWS_WITH(read_spoilt_words(Bytes(Count{64} << 20)), contains("spoilt words: the words add up to"));
  CHECK_THROWS_WITH(check_spoilt_product(), contains("spoilt product: the product is off by"));
  CHECK_THROWS_WITH(check_product_with_nan(), contains("product with NaN: the product is off by"));
}

TEST_CASE("every probe gives figures of its own keys, positive and known to some width") {
  for (const Probe& probe : probes()) {
    CAPTURE(probe.name);
    for (const auto& [key, figure] : figures_of(probe.name)) {
      CAPTURE(key);
      CHECK(belongs_to(key, probe));
      CHECK(figure.value > 0);
      CHECK(figure.half_width95 >= 0);
      CHECK(figure.samples >= 2);
    }
  }
}

TEST_CASE("copies are as fast as cudaMemcpy's, and reads no faster than the L2's") {
  auto hbm = figures_of("hbm");
  CHECK(hbm["probe.hbm.copy"].value == Approx(copy_bandwidth(Bytes(Count{4} << 30))).epsilon(0.15));
  CHECK(hbm["probe.hbm.read_fitted"].value == Approx(hbm["probe.hbm.read"].value).epsilon(0.25));
  auto l2 = figures_of("l2");
  CHECK(l2["probe.l2.read"].value > hbm["probe.hbm.read"].value);
  CHECK(l2["probe.l2.knee"].value < 1.5 * static_cast<double>(gpu_info().l2_size.value()));
}

TEST_CASE("no unit is faster than it is wide") {
  auto scalar = figures_of("scalar");
  CHECK(scalar["probe.exp.fp32"].value <= 16 * 1.01);
  CHECK(scalar["probe.fma.fp32"].value <= 128 * 1.01);
  CHECK(scalar["probe.max.fp32"].value <= scalar["probe.fma.fp32"].value * 1.01);
  CHECK(figures_of("shared")["probe.shared.read"].value <= 128 * 1.01);
  for (const auto& [key, figure] : figures_of("wgmma")) {
    CAPTURE(key);
    CHECK(figure.value <= 4096 * 1.01);
  }
  auto latency = figures_of("latency");
  CHECK(latency["probe.l2.latency_near"].value < latency["probe.l2.latency_far"].value);
  CHECK(latency["probe.l2.latency_far"].value < latency["probe.hbm.latency"].value * 1.2);
}
