// The softmax of rows in double precision.
#include "sim/reference.hpp"

namespace tilemeter {

Values inputs_of_softmax(const Case& point, Normal& normal) {
  Values inputs;
  for (Count problem = 0; problem < point.problem.batch; ++problem) {
    inputs[TensorName::X].push_back(normal.matrix(point.shapes.rows, point.shapes.cols, point.problem.dtype));
  }
  return inputs;
}

Values outputs_of_softmax(const Algorithm&, const Case&, const Values& inputs) {
  Values outputs;
  for (Matrix y : inputs.at(TensorName::X)) {
    Matrix lse(y.rows(), 1);
    numerics::reference_softmax(y, lse, 0);
    outputs[TensorName::Y].push_back(std::move(y));
  }
  return outputs;
}

}  // namespace tilemeter
