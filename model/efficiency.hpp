// What one kernel reaches of a device's rates: a few figures with a meaning, fitted by `calibrate`, none per shape.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/probe_keys.hpp"

namespace tilemeter {

/// A step of a block takes max(m, s) + (1 - hidden) min(m, s) clocks, where m = products x (clocks of the matrix path)
/// + shared x (clocks of shared memory) and s = scalar x (clocks of exponentials, multiply-adds, maxima, conversions).
/// Where several blocks share an SM, one that is left alone takes `alone` times that. A block takes its steps, `block`
/// times the latencies and copies of its first load and last store, and `masked` times s again for every tile that a
/// mask cuts. A launch takes max(t, u) + exposed x min(t, u) beside `launch`, where t is the time of its blocks and u
/// the larger of cache x (that of the L2, less the share `joined` where blocks walk the same keys in step) and memory x
/// (that of device memory).
struct Efficiency {
  double products = 1;
  double shared = 0;
  double scalar = 1;
  double hidden = 1;
  double alone = 1;
  double block = 1;
  double masked = 0;
  double cache = 1;
  double joined = 0;
  double memory = 1;
  double exposed = 0;
  double launch = 0;  ///< s
  double spread = 0;  ///< standard deviation of the logarithm of measured over predicted time

  /// Clocks of a step that asks for so many of each of an SM's units alone; `others` are those of the scalar pipes.
  double step(double tensor, double shared_memory, double others) const;
  /// Seconds of a launch whose blocks, whose bytes at the L2 and whose bytes of device memory need so many seconds;
  /// `in_step` where its blocks walk the same keys at the same time.
  double together(double blocks, double l2, double hbm, bool in_step) const;
  friend bool operator==(const Efficiency&, const Efficiency&) = default;
};

/// One figure: its key is fit.KERNEL.NAME. Without data it is `prior` +- `doubt` (a standard deviation), and it lies in
/// [low, high].
struct EfficiencyFigure {
  std::string_view name;
  double Efficiency::*member;
  ProbeUnit unit;
  double prior;
  double doubt;
  double low;
  double high;
  std::string_view meaning;
};

/// The figures that are fitted, and last `spread`, which follows from what the fit leaves.
std::span<const EfficiencyFigure> efficiency_figures();

/// The figure of that name, or nullptr.
const EfficiencyFigure* find_efficiency_figure(std::string_view name);

/// "fit.flash3.products".
std::string fit_key(std::string_view kernel, std::string_view figure);

/// The kernel and the figure of such a key; nothing for other keys, and where there is no such figure.
struct FitKey {
  std::string kernel;
  const EfficiencyFigure* figure = nullptr;
};
std::optional<FitKey> parse_fit_key(std::string_view key);

/// Whether a key of a device file is a fit's by its name.
inline bool is_below_fit(std::string_view key) { return key.substr(0, 4) == "fit."; }

/// What is expected of a kernel of which nothing was measured.
Efficiency expected_efficiency();

}  // namespace tilemeter
