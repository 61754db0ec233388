// Matrix products in double precision.
#include "model/closed_form/gemm.hpp"

#include "sim/reference.hpp"

namespace tilemeter {

Values inputs_of_gemm(const Case& point, Normal& normal) {
  Values inputs;
  for (Count problem = 0; problem < point.problem.batch; ++problem) {
    inputs[TensorName::A].push_back(normal.matrix(point.shapes.m, point.shapes.k, point.problem.dtype));
    inputs[TensorName::B].push_back(normal.matrix(point.shapes.k, point.shapes.n, point.problem.dtype));
  }
  return inputs;
}

Values outputs_of_gemm(const Algorithm&, const Case&, const Values& inputs) {
  Values outputs;
  const std::vector<Matrix>& b = inputs.at(TensorName::B);
  for (std::size_t i = 0; i < b.size(); ++i) outputs[TensorName::C].push_back(inputs.at(TensorName::A)[i] * b[i]);
  return outputs;
}

}  // namespace tilemeter
