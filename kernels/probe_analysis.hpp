// From samples to the quantities of the probes, without a GPU.
#pragma once

#include <span>
#include <vector>

#include "model/fit.hpp"
#include "model/units.hpp"

namespace tilemeter::kernels {

/// A transfer of `bytes` in `seconds`.
struct Transfer {
  double bytes = 0;
  double seconds = 0;
};

/// The time of a transfer as overhead + bytes / bandwidth, every relative error weighing the same.
struct TransferFit {
  Coefficient overhead;   ///< s
  Coefficient bandwidth;  ///< B/s
  Count observations = 0;
};
/// Throws InputError for fewer than 3 transfers, or sizes that do not differ.
TransferFit fit_transfers(std::span<const Transfer> transfers);

/// A footprint and how fast it is read.
struct Reading {
  double bytes = 0;
  double bytes_per_second = 0;
};

/// Footprints that a cache holds, in bytes.
struct FootprintRange {
  double least = 0;
  double most = 0;
};

/// The median speed of the footprints in the range. Throws InputError when there is none.
double plateau_of(std::span<const Reading> readings, const FootprintRange& cached);
/// The footprint beyond the range at which the speed has fallen to 90 % of the plateau, interpolated. Readings are in
/// the order of their footprints. Throws InputError when the speed never falls so far, or does so within the range.
double knee_of(std::span<const Reading> readings, const FootprintRange& cached);

/// Two groups of latencies: the split that leaves the least sum of squares within the groups.
struct TwoGroups {
  double near = 0;  ///< median of the lower group
  double far = 0;   ///< median of the upper group
  double near_share = 0;
};
/// Throws InputError for fewer than 2 different values.
TwoGroups two_groups(std::span<const double> latencies);

/// How much longer work takes beside other work than alone. `beside` and `alone` are samples of the same work; the
/// samples of the ratio pair them up. Throws InputError for lengths that differ or times that are not positive.
std::vector<double> slowdowns(std::span<const double> beside, std::span<const double> alone);

}  // namespace tilemeter::kernels
