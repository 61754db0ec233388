// Layers with quantised weights in double precision: the weights are quantised once, symmetric about zero, and the
// reference multiplies by what the quantised ones stand for.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/weight_layer.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

double quantised(double weight, double scale, WeightType type) {
  const double largest = largest_weight_of(type);
  return std::clamp(std::nearbyint(weight / scale), -largest, largest);
}

/// Replaces weights by integers and gives the scales, in fp16, of the groups of each row.
Matrix quantise_groups(Matrix& weights, Count group, WeightType type) {
  Matrix scales(weights.rows(), ceil_div(weights.cols(), group));
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    for (Eigen::Index g = 0; g < scales.cols(); ++g) {
      const Count begin = g * group;
      auto part = weights.row(row).segment(begin, std::min<Count>(group, weights.cols() - begin));
      scales(row, g) = round_to(DType::fp16, std::max(part.cwiseAbs().maxCoeff(), 1e-3) / largest_weight_of(type));
      for (double& weight : part) weight = quantised(weight, scales(row, g), type);
    }
  }
  return scales;
}

/// The weights that a row of integers stands for.
Matrix dequantised(const Case& point, const Values& inputs, std::size_t problem) {
  Matrix weights = inputs.at(TensorName::W)[problem];
  const Options& options = point.options;
  if (options.weight_type == WeightType::bf16) return weights;
  if (options.group_size == 0) return weights * whole_scale(options.weight_type);
  const Matrix& scales = inputs.at(TensorName::scales)[problem];
  for (Eigen::Index col = 0; col < weights.cols(); ++col) {
    weights.col(col).array() *= scales.col(col / options.group_size).array();
  }
  return weights;
}

}  // namespace

Values inputs_of_layer(const Case& point, Normal& normal) {
  const auto& [shapes, options] = std::tie(point.shapes, point.options);
  Values inputs;
  for (Count problem = 0; problem < point.problem.batch; ++problem) {
    inputs[TensorName::X].push_back(normal.matrix(shapes.tokens, shapes.d_in, point.problem.dtype));
    Matrix weights = normal.matrix(shapes.d_out, shapes.d_in, dtype_of(options.weight_type));
    if (options.group_size > 0) {
      inputs[TensorName::scales].push_back(quantise_groups(weights, options.group_size, options.weight_type));
    } else if (options.weight_type != WeightType::bf16) {
      for (double& weight : weights.reshaped()) {
        weight = quantised(weight, whole_scale(options.weight_type), options.weight_type);
      }
    }
    inputs[TensorName::W].push_back(std::move(weights));
  }
  return inputs;
}

Values outputs_of_layer(const Algorithm&, const Case& point, const Values& inputs) {
  Values outputs;
  const std::vector<Matrix>& x = inputs.at(TensorName::X);
  for (std::size_t i = 0; i < x.size(); ++i) {
    outputs[TensorName::Y].push_back(x[i] * dequantised(point, inputs, i).transpose());
  }
  return outputs;
}

}  // namespace tilemeter
