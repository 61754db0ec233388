// What the references of attention read, as their kernels see it.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/tensors.hpp"
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
  Count heads, group, seq_q, seq_k, head_dim, head_dim_v;
  Visibility visible;
  double scale;
  DType score_type;

  /// The K/V head, over the batch, of a query head.
  __device__ Count kv_stream(Count stream) const { return stream / heads * (heads / group) + stream % heads / group; }
};

inline AttentionView attention_view(const Tensors& tensors, std::span<const Operand> operands, const Problem& problem) {
  return {.q = typed_memory(tensors, operands, TensorName::Q),
          .k = typed_memory(tensors, operands, TensorName::K),
          .v = typed_memory(tensors, operands, TensorName::V),
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
