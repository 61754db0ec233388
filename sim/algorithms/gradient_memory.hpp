// Device memory of the backward passes, and the kernels that they share.
#pragma once

#include "model/closed_form/gradients.hpp"
#include "sim/operands.hpp"

namespace tilemeter {

/// Rows that an elementwise kernel works on at a time; no figure depends on it.
inline constexpr Count elementwise_rows = 128;

/// Q, K, V, dO as inputs, dQ, dK, dV as outputs. Where the query heads of a group form dK and dV apart, they do so in
/// dKx and dVx.
template <class P>
class GradientMemory {
 public:
  /// dQ is stored as `dq_dtype`.
  GradientMemory(Gpu<P>& gpu, const Problem& problem, DType dq_dtype)
      : gpu_(gpu),
        problem_(problem),
        operands_(gpu, problem),
        do_(operands_.declare_rows(TensorName::dO, problem.head_dim_v, problem.dtype)),
        dq_(operands_.declare_rows(TensorName::dQ, problem.head_dim, dq_dtype)),
        dk_(key_tensor(TensorName::dK, reduced_streams(), problem.head_dim)),
        dv_(key_tensor(TensorName::dV, reduced_streams(), problem.head_dim_v)),
        formed_dk_(expands() ? key_tensor(TensorName::dKx, streams(), problem.head_dim) : dk_),
        formed_dv_(expands() ? key_tensor(TensorName::dVx, streams(), problem.head_dim_v) : dv_) {}

  Gpu<P>& gpu() { return gpu_; }
  Operands<P>& operands() { return operands_; }
  Count streams() const { return operands_.streams(); }
  DType accumulator() const { return operands_.accumulator(); }

  View<P> d_o(Count stream, Count row, Count rows) { return Operands<P>::whole_rows(do_, stream, row, rows); }
  View<P> d_q(Count stream, Count row, Count rows) { return Operands<P>::whole_rows(dq_, stream, row, rows); }
  /// Where a stream forms its dK (dV): dK itself, or dKx.
  View<P> d_k(Count stream, Count key, Count keys) { return Operands<P>::whole_rows(formed_dk_, stream, key, keys); }
  View<P> d_v(Count stream, Count key, Count keys) { return Operands<P>::whole_rows(formed_dv_, stream, key, keys); }

  /// dK = sum of dKx, dV = sum of dVx over the query heads of each K/V head; nothing where they are not expanded.
  void reduce() {
    if (!expands()) return;
    const TileRange panels = all_tiles(problem_.seq_k, elementwise_rows);
    gpu_.launch("reduction", {.streams = reduced_streams(), .rows = runs_of(panels)},
                [&](Block<P>& block, const Place& at) {
                  const TileSlot keys = {at.row.index, panels.begin(at.row.index), panels.size_of(at.row.index)};
                  sum_heads(block, formed_dk_, dk_, at.stream, keys);
                  sum_heads(block, formed_dv_, dv_, at.stream, keys);
                });
  }

 private:
  bool expands() const { return expands_key_gradients(problem_); }
  Count reduced_streams() const {
    return named("batch x kv_heads", [&] { return checked::multiply(problem_.batch, problem_.kv_heads); });
  }
  Tensor<P>& key_tensor(TensorName name, Count streams, Count cols) {
    return gpu_.tensor(name, streams, {problem_.seq_k, cols}, problem_.dtype);
  }

  void sum_heads(Block<P>& block, Tensor<P>& from, Tensor<P>& to, Count kv_head, const TileSlot& keys) {
    const Shape shape = {keys.size, to.shape.cols};
    RegisterTile<P> sum = block.idealised(shape, accumulator());
    RegisterTile<P> part = block.idealised(shape, to.dtype);
    block.fill(sum, shape, 0);
    const Count group = problem_.group();
    block.tiles(all_tiles(group, 1), [&](const TileSlot& head) {
      block.load(Phase::load_state, part,
                 Operands<P>::whole_rows(from, kv_head * group + head.index, keys.begin, keys.size));
      block.add(sum, part);
    });
    block.store(Phase::store, Operands<P>::whole_rows(to, kv_head, keys.begin, keys.size), sum);
  }

  Gpu<P>& gpu_;
  const Problem& problem_;
  Operands<P> operands_;
  Tensor<P>& do_;
  Tensor<P>& dq_;
  Tensor<P>& dk_;
  Tensor<P>& dv_;
  Tensor<P>& formed_dk_;
  Tensor<P>& formed_dv_;
};

}  // namespace tilemeter
