#include "kernels/probe_analysis.hpp"
#include "kernels/probe_functions.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr Count mib = Count{1} << 20;
constexpr Bytes traffic(2 * Count{1} << 30);  ///< of a launch

/// Shares of the L2's size between which it is taken to hold a footprint wherever its lines lie, and the footprint to
/// be too large for requests of several SMs to meet on the way.
constexpr double least_share = 0.1, most_share = 0.5;

struct Footprint {
  std::vector<double> bandwidth;  ///< of each repetition
  std::vector<double> hertz;
};

/// Reads the first `size` bytes of `words` over and over.
Footprint read_again(Words& words, Bytes size, Count repetitions) {
  const int passes = static_cast<int>(traffic.value() / size.value());
  Buffer<Span> span(1);
  words.take_sum();
  Footprint footprint;
  Count launches = 0;
  const auto launch = [&](Stream) {
    words.read(Bytes(0), size, passes, nullptr, span.data());
    ++launches;
  };
  for (Count i = 0; i < repetitions; ++i) {
    const double seconds = timed_launches(launch, 1)[0];
    const Span seen = span.to_host()[0];
    footprint.bandwidth.push_back(static_cast<double>(size.value()) * passes / seconds);
    footprint.hertz.push_back(1e9 * static_cast<double>(seen.clocks()) / static_cast<double>(seen.nanoseconds));
  }
  const auto times = static_cast<unsigned>(launches) * static_cast<unsigned>(passes);
  require_sum(words.take_sum(), times * expected_sum(Bytes(0), size), "probe.l2.footprint");
  return footprint;
}

std::vector<Reading> readings_of(const std::vector<Footprint>& footprints, std::size_t repetition) {
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < footprints.size(); ++i) {
    readings.push_back({static_cast<double>(footprint_sizes()[i] * mib), footprints[i].bandwidth[repetition]});
  }
  return readings;
}

/// A whole number of KiB, which is how byte sizes are written.
double whole_kib(double bytes) { return 1024 * std::round(bytes / 1024); }

}  // namespace

std::vector<Figure> probe_l2(const ProbeSettings& settings) {
  const auto l2 = static_cast<double>(settings.gpu.l2_size.value());
  const FootprintRange cached{least_share * l2, most_share * l2};
  Words words(Bytes(footprint_sizes().back() * mib));
  words.write(Bytes(0), words.size());
  std::vector<Footprint> footprints;
  std::vector<Figure> by_size;
  for (const Count size : footprint_sizes()) {
    footprints.push_back(read_again(words, Bytes(size * mib), settings.repetitions));
    const Footprint& last = footprints.back();
    by_size.push_back(figure_of("probe.l2.footprint.m" + std::to_string(size), last.bandwidth,
                                Hertz{quantile_of(last.hertz, 0.5, "clock rates")}));
  }
  std::vector<double> plateaus, per_sm, knees;
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings.repetitions); ++i) {
    const auto readings = readings_of(footprints, i);
    plateaus.push_back(plateau_of(readings, cached));
    std::vector<double> hertz;
    for (const Footprint& footprint : footprints) hertz.push_back(footprint.hertz[i]);
    const double sm_hertz = quantile_of(hertz, 0.5, "clock rates") * static_cast<double>(settings.gpu.sm_count);
    per_sm.push_back(plateaus.back() / sm_hertz);
    knees.push_back(whole_kib(knee_of(readings, cached)));
  }
  const auto clock = by_size.front().clock;
  std::vector<Figure> figures = {figure_of("probe.l2.read", plateaus, clock),
                                 figure_of("probe.l2.read_per_clock", per_sm, clock),
                                 figure_of("probe.l2.knee", knees)};
  figures[2].value = whole_kib(figures[2].value);
  figures.insert(figures.end(), by_size.begin(), by_size.end());
  return figures;
}

}  // namespace tilemeter::kernels
