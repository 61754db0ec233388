// How long each resource of a GPU needs for its part of a computation, were it the only one.
#pragma once

#include <array>
#include <string_view>

#include "model/machine_rates.hpp"
#include "model/unit_amounts.hpp"

namespace tilemeter {

/// Pipes of the SMs, their shared memory, and the memories behind them.
enum class Resource { tensor, exp, fma, alu, shared, l2, hbm };
inline constexpr std::size_t resource_count = 7;
inline constexpr std::array<Resource, resource_count> resources = {
    Resource::tensor, Resource::exp, Resource::fma, Resource::alu, Resource::shared, Resource::l2, Resource::hbm};
std::string_view name_of(Resource resource);

/// Seconds with every SM at work all the time. Each is a lower bound of the whole.
struct TimeBounds {
  std::array<double, resource_count> seconds{};

  double at(Resource resource) const { return seconds[static_cast<std::size_t>(resource)]; }
  double& at(Resource resource) { return seconds[static_cast<std::size_t>(resource)]; }
  Resource binding() const;  ///< the largest, the first among equals
  double largest() const { return at(binding()); }
  double serial() const;  ///< the sum: nothing overlaps, and every SM has the same work
};

/// The bounds of `amounts` and of `hbm` bytes of device memory. The scalar path multiplies on the fma pipe. The L2 is
/// bound by its own rate and by the ports of the SMs, one for each direction. A resource that is not used has 0.
TimeBounds time_bounds(const UnitAmounts& amounts, Bytes hbm, const MachineRates& rates, MatrixPath path);

/// Clocks of one SM for `amounts` on its own pipes and ports; `hbm` is 0, `l2` the time of the port.
TimeBounds sm_clocks(const UnitAmounts& amounts, const MachineRates& rates, MatrixPath path);

}  // namespace tilemeter
