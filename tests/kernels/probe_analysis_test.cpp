// What the probes conclude from samples, on samples of known answers; and the table of probes.
#include "kernels/probe_analysis.hpp"

#include <cmath>
#include <random>

#include "kernels/probes.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

TEST_CASE("transfers give back the overhead and the bandwidth that they were made of") {
  constexpr double overhead = 2.5e-6, bandwidth = 4.3e12;
  std::vector<Transfer> transfers;
  for (double bytes = 4e6; bytes < 3e9; bytes *= 2) transfers.push_back({bytes, overhead + bytes / bandwidth});
  const TransferFit exact = fit_transfers(transfers);
  CHECK(exact.overhead.value == Approx(overhead).epsilon(0).margin(1e-12));
  CHECK(exact.bandwidth.value == Approx(bandwidth).epsilon(0).margin(1e3));
  CHECK(exact.observations == 10);

  std::mt19937 random(1);
  std::normal_distribution<double> noise(1, 0.005);
  for (int i = 0; i < 5; ++i) {
    for (double bytes = 4e6; bytes < 3e9; bytes *= 2) {
      transfers.push_back({bytes, (overhead + bytes / bandwidth) * noise(random)});
    }
  }
  const TransferFit noisy = fit_transfers(transfers);
  CHECK(noisy.overhead.half_width95 > 0);
  CHECK(noisy.overhead.value == Approx(overhead).epsilon(0).margin(2 * noisy.overhead.half_width95));
  CHECK(noisy.bandwidth.value == Approx(bandwidth).epsilon(0).margin(2 * noisy.bandwidth.half_width95));
  CHECK(noisy.bandwidth.half_width95 < 0.01 * bandwidth);

  CHECK_THROWS_AS(fit_transfers(std::span(transfers).first(2)), InputError);
  const std::vector<Transfer> equal(5, {1e6, 1e-6});
  CHECK_THROWS_AS(fit_transfers(equal), InputError);
}

TEST_CASE("the knee lies where the bandwidth has lost a tenth") {
  // Above its plateau where it is small, 10 up to 40, then straight down to 4 at 60: 9 at 43 1/3.
  std::vector<Reading> readings;
  for (double size = 2; size <= 80; size += 2) {
    readings.push_back({size, size < 6 ? 12 : size <= 40 ? 10 : size <= 60 ? 10 - 0.3 * (size - 40) : 4});
  }
  const FootprintRange cached{6, 30};
  CHECK(plateau_of(readings, cached) == 10);
  CHECK(knee_of(readings, cached) == Approx(40 + 10.0 / 3));
  CHECK_THROWS_WITH(knee_of(readings, {6, 50}), contains("does not keep up"));
  readings.resize(10);
  CHECK_THROWS_WITH(knee_of(readings, cached), contains("and fall beyond it"));
  CHECK_THROWS_AS(knee_of(readings, {0, 1}), InputError);
}

TEST_CASE("latencies fall into the two groups that they were drawn from") {
  std::mt19937 random(1);
  std::normal_distribution<double> near(210, 3), far(380, 5);
  std::vector<double> latencies;
  for (int i = 0; i < 3000; ++i) latencies.push_back(i % 3 == 0 ? near(random) : far(random));
  const TwoGroups groups = two_groups(latencies);
  CHECK(groups.near == Approx(210).epsilon(0).margin(1));
  CHECK(groups.far == Approx(380).epsilon(0).margin(1));
  CHECK(groups.near_share == Approx(1.0 / 3).epsilon(0).margin(1e-12));
  CHECK_THROWS_AS(two_groups(std::vector<double>(5, 1.0)), InputError);
  CHECK_THROWS_AS(two_groups({}), InputError);
  const std::vector<double> two = {1, 2};
  CHECK(two_groups(two).far == 2);
}

TEST_CASE("slowdowns are times over times") {
  const std::vector<double> beside = {30, 44}, alone = {20, 22};
  CHECK(slowdowns(beside, alone) == std::vector<double>{1.5, 2});
  CHECK_THROWS_AS(slowdowns(beside, std::span(alone).first(1)), InputError);
  const std::vector<double> zero = {0, 1};
  CHECK_THROWS_AS(slowdowns(beside, zero), InputError);
}

TEST_CASE("a figure is the median with the interval of Student's t, under a key that exists") {
  const std::vector<double> samples = {4, 1, 2, 3, 10};
  const Figure figure = figure_of("probe.hbm.read", samples, Hertz{1e9});
  CHECK(figure.value == 3);
  CHECK(figure.samples == 5);
  CHECK(figure.clock->value == 1e9);
  // Standard deviation sqrt(50 / 4), t of 4 degrees 2.7764.
  CHECK(figure.half_width95 == Approx(2.776445 * std::sqrt(50.0 / 4 / 5)).epsilon(0).margin(1e-5));
  CHECK_THROWS_AS(figure_of("probe.hbm.red", samples), std::logic_error);
  CHECK_THROWS_AS(figure_of("probe.hbm.read", std::span(samples).first(1)), InputError);
}

TEST_CASE("every key of a figure belongs to one probe, and every probe has keys") {
  std::vector<int> keys_of_probe(probes().size());
  for (const ProbeKey& key : probe_keys()) {
    CAPTURE(key.key);
    int owners = 0;
    for (std::size_t i = 0; i < probes().size(); ++i) {
      if (!belongs_to(key.key, probes()[i])) continue;
      ++owners;
      ++keys_of_probe[i];
    }
    CHECK(owners == 1);
  }
  for (std::size_t i = 0; i < probes().size(); ++i) {
    CAPTURE(probes()[i].name);
    CHECK(keys_of_probe[i] > 0);
    CHECK(&probe_named(probes()[i].name) == &probes()[i]);
#ifdef TILEMETER_CUDA_BUILT
    CHECK(probes()[i].run != nullptr);
#else
    CHECK(probes()[i].run == nullptr);
#endif
  }
  CHECK_THROWS_WITH(probe_named("latncy"), contains("did you mean \"latency\"?") && contains("overlap"));
}
