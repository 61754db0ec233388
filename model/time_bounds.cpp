#include "model/time_bounds.hpp"

#include <algorithm>
#include <numeric>

namespace tilemeter {
namespace {

double ratio(Count amount, double rate) { return amount == 0 ? 0 : static_cast<double>(amount) / rate; }

}  // namespace

std::string_view name_of(Resource resource) {
  constexpr std::array<std::string_view, resource_count> names = {"tensor", "exp", "fma", "alu", "shared", "l2", "hbm"};
  return names[static_cast<std::size_t>(resource)];
}

Resource TimeBounds::binding() const {
  const auto largest = std::max_element(seconds.begin(), seconds.end());
  return resources[static_cast<std::size_t>(largest - seconds.begin())];
}

double TimeBounds::serial() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

TimeBounds sm_clocks(const UnitAmounts& amounts, const MachineRates& rates, MatrixPath path) {
  TimeBounds clocks;
  const double products = ratio(amounts.products.value(), rates.tensor);
  clocks.at(path == MatrixPath::scalar ? Resource::fma : Resource::tensor) = products;
  clocks.at(Resource::exp) = ratio(amounts.exp, rates.exp);
  clocks.at(Resource::fma) += ratio(amounts.fma, rates.fma);
  clocks.at(Resource::alu) = ratio(amounts.alu, rates.alu);
  clocks.at(Resource::shared) = ratio(amounts.shared.value(), rates.shared);
  clocks.at(Resource::l2) =
      std::max(ratio(amounts.edge_read.value(), rates.port), ratio(amounts.edge_write.value(), rates.port));
  return clocks;
}

TimeBounds time_bounds(const UnitAmounts& amounts, Bytes hbm, const MachineRates& rates, MatrixPath path) {
  TimeBounds bounds = sm_clocks(amounts, rates, path);
  for (double& seconds : bounds.seconds) seconds /= static_cast<double>(rates.sms) * rates.clock_hz;
  const Bytes edge = named("bytes at the edge", [&] { return amounts.edge_read + amounts.edge_write; });
  bounds.at(Resource::l2) = std::max(bounds.at(Resource::l2), ratio(edge.value(), rates.l2));
  bounds.at(Resource::hbm) = ratio(hbm.value(), rates.hbm);
  return bounds;
}

}  // namespace tilemeter
