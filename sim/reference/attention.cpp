// Attention in double precision.
#include <algorithm>
#include <limits>

#include "model/visibility.hpp"
#include "sim/catalog.hpp"
#include "sim/operands.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr Count panel_rows = 64;

/// Rows [row, row + rows) of one stream.
void reference_panel(const Problem& problem, const Values& inputs, Dropout dropout, double empty_lse, Count stream,
                     Count row, Count rows, Values& outputs) {
  const auto at = static_cast<std::size_t>(stream);
  const auto kv = static_cast<std::size_t>(problem.packing == Packing::packed ? stream : stream / problem.group());
  Matrix scores = inputs.at(TensorName::Q)[at].middleRows(row, rows) * inputs.at(TensorName::K)[kv].transpose() *
                  score_scale(problem);
  numerics::mask<double>(scores, Visibility(problem), row, 0);
  numerics::reference_softmax(scores, outputs[TensorName::LSE][at].middleRows(row, rows), empty_lse);
  if (dropout == Dropout::fixed) {
    Matrix kept(rows, problem.seq_k);
    numerics::dropout<double>(scores, kept, stream, row);
  }
  outputs[TensorName::O][at].middleRows(row, rows) = scores * inputs.at(TensorName::V)[kv];
}

}  // namespace

Values inputs_of_attention(const Case& point, Normal& normal) {
  const Problem& problem = point.problem;
  Values inputs;
  const Count kv_streams = checked::multiply(problem.batch, problem.kv_heads);
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    inputs[TensorName::Q].push_back(normal.matrix(problem.rows(), problem.head_dim, problem.dtype));
  }
  for (Count stream = 0; stream < kv_streams; ++stream) {
    inputs[TensorName::K].push_back(normal.matrix(problem.seq_k, problem.head_dim, problem.dtype));
    inputs[TensorName::V].push_back(normal.matrix(problem.seq_k, problem.head_dim_v, problem.dtype));
  }
  return inputs;
}

Values attention_inputs(const Problem& problem, std::uint64_t seed) {
  Normal normal(seed);
  return inputs_of_attention({.problem = problem, .tiling = {}, .options = {}}, normal);
}

Values attention_reference(const Problem& problem, const Values& inputs, Dropout dropout, double empty_lse) {
  Values outputs;
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    outputs[TensorName::O].push_back(Matrix::Zero(problem.rows(), problem.head_dim_v));
    outputs[TensorName::LSE].push_back(Matrix::Zero(problem.rows(), 1));
    for (Count row = 0; row < problem.rows(); row += panel_rows) {
      const Count rows = std::min(panel_rows, problem.rows() - row);
      reference_panel(problem, inputs, dropout, empty_lse, stream, row, rows, outputs);
    }
  }
  return outputs;
}

double empty_lse_of(const Algorithm& algorithm, const Options& options) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool declares = algorithm.options.find("--empty-lse") != std::string_view::npos;
  return declares && options.empty_lse == EmptyLse::plus_infinity ? infinity : -infinity;
}

Values outputs_of_attention(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  const bool drops = algorithm.name == "standard_unfused" && point.options.unfused_dropout;
  return attention_reference(point.problem, inputs, drops ? Dropout::fixed : Dropout::none,
                             empty_lse_of(algorithm, point.options));
}

}  // namespace tilemeter
