#include "model/efficiency.hpp"

#include <algorithm>
#include <array>

namespace tilemeter {
namespace {

constexpr double least = 1e-3;  ///< in the place of 0: quantities of a device file are positive

constexpr std::array efficiency_table = {
    EfficiencyFigure{
        "products", &Efficiency::products, ProbeUnit::ratio, 0.95, 0.12, 0.7, 3,
        "time of the matrix products over that of their rate at the clock of the probe; less than 1 at a higher clock"},
    EfficiencyFigure{"shared", &Efficiency::shared, ProbeUnit::ratio, 0.2, 0.3, least, 1.5,
                     "share of the time of shared memory that products do not hide"},
    EfficiencyFigure{"scalar", &Efficiency::scalar, ProbeUnit::ratio, 0.85, 0.3, 0.1, 4,
                     "time of scalar work over that of its rates"},
    EfficiencyFigure{"hidden", &Efficiency::hidden, ProbeUnit::ratio, 0.6, 0.4, least, 1,
                     "share of the shorter of products and scalar work that runs under the longer"},
    EfficiencyFigure{"alone", &Efficiency::alone, ProbeUnit::ratio, 1, 0.5, 1, 8,
                     "time of a step of a block that has an SM to itself over that of one among others"},
    EfficiencyFigure{"block", &Efficiency::block, ProbeUnit::ratio, 2, 1.5, least, 30,
                     "start and end of a block over the latencies and copies of its first load and last store"},
    EfficiencyFigure{"masked", &Efficiency::masked, ProbeUnit::ratio, 0.5, 0.5, least, 10,
                     "time for a tile that a mask cuts, beside its step, over that of its scalar work"},
    EfficiencyFigure{"cache", &Efficiency::cache, ProbeUnit::ratio, 0.85, 0.3, 0.1, 4,
                     "time of the traffic at the edge of the SMs over that of the L2's bandwidth"},
    EfficiencyFigure{"joined", &Efficiency::joined, ProbeUnit::ratio, 0.1, 0.15, least, 0.6,
                     "share of that traffic that the L2 serves for a neighbour too, where blocks walk the same keys in "
                     "step"},
    EfficiencyFigure{"memory", &Efficiency::memory, ProbeUnit::ratio, 1.05, 0.1, 0.85, 4,
                     "time of the traffic of device memory over that of its bandwidth"},
    EfficiencyFigure{"exposed", &Efficiency::exposed, ProbeUnit::ratio, 0.2, 0.2, least, 1,
                     "share of the shorter of blocks and traffic that the longer does not hide"},
    EfficiencyFigure{"launch", &Efficiency::launch, ProbeUnit::seconds, 2.6e-6, 1e-6, 1e-8, 2e-5,
                     "of a launch before its first block and behind its last"},
    EfficiencyFigure{"spread", &Efficiency::spread, ProbeUnit::ratio, 0.2, 0, least, 2,
                     "standard deviation of the logarithm of measured over predicted time"},
};

}  // namespace

double Efficiency::step(double tensor, double shared_memory, double others) const {
  const double matrix = products * tensor + shared * shared_memory;
  const double single = scalar * others;
  return std::max(matrix, single) + (1 - hidden) * std::min(matrix, single);
}

double Efficiency::together(double blocks, double l2, double hbm, bool in_step) const {
  const double edge = cache * (in_step ? 1 - joined : 1) * l2;
  const double memories = std::max(edge, memory * hbm);
  return std::max(blocks, memories) + exposed * std::min(blocks, memories);
}

std::span<const EfficiencyFigure> efficiency_figures() { return efficiency_table; }

const EfficiencyFigure* find_efficiency_figure(std::string_view name) {
  const auto found = std::find_if(efficiency_table.begin(), efficiency_table.end(),
                                  [&](const EfficiencyFigure& figure) { return figure.name == name; });
  return found == efficiency_table.end() ? nullptr : &*found;
}

std::string fit_key(std::string_view kernel, std::string_view figure) {
  return "fit." + std::string(kernel) + "." + std::string(figure);
}

std::optional<FitKey> parse_fit_key(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  if (!is_below_fit(key) || dot <= 4) return std::nullopt;
  const EfficiencyFigure* figure = find_efficiency_figure(key.substr(dot + 1));
  if (figure == nullptr) return std::nullopt;
  return FitKey{.kernel = std::string(key.substr(4, dot - 4)), .figure = figure};
}

Efficiency expected_efficiency() {
  Efficiency expected;
  for (const EfficiencyFigure& figure : efficiency_table) expected.*figure.member = figure.prior;
  return expected;
}

}  // namespace tilemeter
