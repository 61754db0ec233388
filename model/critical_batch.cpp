#include "model/critical_batch.hpp"

namespace tilemeter {

double critical_batch(OpsPerSecond peak, BytesPerSecond bandwidth, double weight_bytes) {
  return peak.value * weight_bytes / (2 * bandwidth.value);
}

std::optional<double> critical_batch(OpsPerSecond peak, BytesPerSecond bandwidth, const WeightLayer& layer) {
  const double activations = layer.activation_bytes / layer.weight_bytes *
                             (1 / static_cast<double>(layer.d_in) + 1 / static_cast<double>(layer.d_out));
  const double inverse = 1 / critical_batch(peak, bandwidth, layer.weight_bytes) - activations;
  if (inverse <= 0) return std::nullopt;
  return 1 / inverse;
}

}  // namespace tilemeter
