// Chains of elementwise operations in double precision.
#include <algorithm>
#include <tuple>

#include "model/closed_form/elementwise.hpp"

#include "sim/reference.hpp"

namespace tilemeter {

Values inputs_of_chain(const Case& point, Normal& normal) {
  const auto& [shapes, options] = std::tie(point.shapes, point.options);
  Values inputs;
  for (Count problem = 0; problem < point.problem.batch; ++problem) {
    inputs[TensorName::X].push_back(normal.matrix(1, shapes.length, point.problem.dtype));
    inputs[TensorName::side].push_back(normal.matrix(options.side_inputs, shapes.length, point.problem.dtype));
  }
  return inputs;
}

Values outputs_of_chain(const Algorithm&, const Case& point, const Values& inputs) {
  Values outputs;
  const std::vector<Matrix>& x = inputs.at(TensorName::X);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Matrix& side = inputs.at(TensorName::side)[i];
    Matrix y = x[i];
    for (Count op = 0; op < point.options.ops; ++op) {
      const ChainStep step = chain_step(point.options.side_inputs, op);
      if (step == ChainStep::side) {
        y = y / 2 + side.row(op);
      } else {
        for (double& value : y.reshaped())
          value = step == ChainStep::leaky ? std::max(value, value / 4) : 1 - value / 2;
      }
    }
    outputs[TensorName::Y].push_back(std::move(y));
  }
  return outputs;
}

}  // namespace tilemeter
