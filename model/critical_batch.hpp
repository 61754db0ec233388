// The batch from which a pass over a weight matrix is bound by arithmetic instead of by reading the weights.
#pragma once

#include <optional>

#include "model/units.hpp"

namespace tilemeter {

/// B* = P b / (2 W), in tokens: 2 FLOP a weight and token against `weight_bytes` a weight, read once.
/// H100 with bf16 weights: 989.4e12 x 2 / (2 x 3.35e12) = 295.34.
double critical_batch(OpsPerSecond peak, BytesPerSecond bandwidth, double weight_bytes);

/// A weight matrix with the rows of its inputs and outputs.
struct WeightLayer {
  Count d_in = 0;
  Count d_out = 0;
  double weight_bytes = 0;      ///< of one weight
  double activation_bytes = 0;  ///< of one input or output element
};

/// The same when inputs and outputs cross memory too: 1/B = 1/B* - (b_a / b)(1/d_in + 1/d_out). nullopt where that is
/// not positive: activations grow with the batch as fast as the arithmetic does, and no batch is bound by arithmetic.
std::optional<double> critical_batch(OpsPerSecond peak, BytesPerSecond bandwidth, const WeightLayer& layer);

}  // namespace tilemeter
