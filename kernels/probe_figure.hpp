// What a probe measures with and what it finds.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/gpu_info.hpp"
#include "model/probe_keys.hpp"

namespace tilemeter::kernels {

/// One number that was measured, in the unit of its key (`find_probe_key`).
struct Figure {
  std::string key;          ///< "probe.hbm.read"
  double value = 0;         ///< the median of the samples, or a fitted coefficient
  double half_width95 = 0;  ///< half the width of the 95 % interval, by Student's t
  Count samples = 0;
  std::optional<Hertz> clock{};  ///< of the SMs while it was measured
  std::string note{};            ///< what a reader must know beside the number; empty mostly
};

/// A result is not what the measured instructions must give, so that their time means nothing.
class ProbeWrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This GPU does not have what is to be measured.
class ProbeUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ProbeSettings {
  GpuInfo gpu;
  Count repetitions = 10;  ///< samples of a figure, 2 or more
  Seconds sustained{2};    ///< how long loads run; the driver averages power over the last second
};

/// The figure of samples of one quantity. Throws InputError for fewer than 2 samples, std::logic_error for a key that
/// `probe_keys` does not list.
Figure figure_of(const std::string& key, std::span<const double> samples, std::optional<Hertz> clock = std::nullopt);

}  // namespace tilemeter::kernels
