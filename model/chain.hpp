// The operations of an elementwise chain: what is computed, and which of them an operation number is.
#pragma once

#include "model/host_device.hpp"
#include "model/units.hpp"

namespace tilemeter {

/// An operation of an elementwise chain. All keep bounded values bounded, however long the chain.
enum class ChainStep {
  leaky,    ///< y = max(y, y / 4)
  reflect,  ///< y = 1 - y / 2
  side      ///< y = y / 2 + side input
};

/// Operation number `op` of a chain whose first `side_inputs` operations read a further tensor.
TILEMETER_HOST_DEVICE constexpr ChainStep chain_step(Count side_inputs, Count op) {
  if (op < side_inputs) return ChainStep::side;
  return op % 2 == 0 ? ChainStep::leaky : ChainStep::reflect;
}

}  // namespace tilemeter
