// What the references of attention read, as their kernels see it.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/operands.hpp"
#include "kernels/typed_memory.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels {

/// No memory for a tensor that the launch does not have.
inline TypedMemory typed_memory(const Tensors& tensors, std::span<const Operand> operands, TensorName tensor) {
  const auto own = std::find_if(operands.begin(), operands.end(), [&](const auto& o) { return o.name == tensor; });
  return own == operands.end() ? TypedMemory{} : TypedMemory{tensors[tensor], own->type};
}

struct AttentionView {
  TypedMemory q, k, v;
  const float* descales;  ///< of fp8 operands (flash3_operands), which have V transposed; else null
  DType output_type;
  Count kv_streams, heads, group, seq_q, seq_k, head_dim, head_dim_v;
  Visibility visible;
  double scale;
  DType score_type;

  /// The K/V head, over the batch, of a query head.
  __device__ Count kv_stream(Count stream) const { return stream / heads * (heads / group) + stream % heads / group; }

  /// What the dot product of a row of Q and one of K is multiplied with.
  __device__ double scale_of(Count kv_stream) const {
    if (descales == nullptr) return scale;
    return scale * descales[kv_stream] * static_cast<double>(descales[kv_streams + kv_stream]);
  }
  __device__ double value(Count kv_stream, Count key, Count col) const {
    if (descales == nullptr) return v.at((kv_stream * seq_k + key) * head_dim_v + col);
    return descales[2 * kv_streams + kv_stream] * v.at((kv_stream * head_dim_v + col) * fp8_keys(seq_k) + key);
  }
};

inline AttentionView attention_view(const Tensors& tensors, std::span<const Operand> operands, const Problem& problem) {
  return {.q = typed_memory(tensors, operands, TensorName::Q),
          .k = typed_memory(tensors, operands, TensorName::K),
          .v = typed_memory(tensors, operands, TensorName::V),
          .descales = problem.dtype == DType::fp8 ? tensors.at<float>(TensorName::scales) : nullptr,
          .output_type = problem.dtype == DType::fp8 ? problem.fp8_output : problem.dtype,
          .kv_streams = problem.batch * problem.kv_heads,
          .heads = problem.heads,
          .group = problem.group(),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .head_dim = problem.head_dim,
          .head_dim_v = problem.head_dim_v,
          .visible = visibility_of(problem, problem.seq_k + 1),
          .scale = 1 / std::sqrt(static_cast<double>(problem.head_dim)),
          .score_type = problem.score_dtype};
}

}  // namespace tilemeter::kernels
