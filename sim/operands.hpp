// The operands of an attention problem in device memory, by stream.
#pragma once

#include "model/closed_form/bill.hpp"
#include "sim/gpu.hpp"

namespace tilemeter {

/// Q, K, V and O of a problem: Q and O have one matrix per stream, K and V one per K/V head.
template <class P>
class Operands {
 public:
  Operands(Gpu<P>& gpu, const Problem& problem)
      : gpu_(gpu),
        problem_(problem),
        streams_(problem.streams()),
        q_(gpu.tensor(TensorName::Q, streams_, {problem.rows(), problem.head_dim}, problem.dtype)),
        k_(gpu.tensor(TensorName::K, kv_streams(), {problem.seq_k, problem.head_dim}, problem.dtype)),
        v_(gpu.tensor(TensorName::V, kv_streams(), {problem.seq_k, problem.head_dim_v}, problem.dtype)) {}

  Count streams() const { return streams_; }
  /// The accumulator type: fp32, or fp64 for fp64 operands.
  DType accumulator() const { return problem_.dtype == DType::fp64 ? DType::fp64 : DType::fp32; }

  /// The K/V head, over the batch, that a stream reads.
  Count kv_stream(Count stream) const {
    return problem_.packing == Packing::packed ? stream : stream / problem_.group();
  }

  /// Declares O of an algorithm that does not read it back.
  Tensor<P>& declare_output() { return declare_output(dtype_of(TensorName::O, problem_)); }
  /// Declares O at `dtype`.
  Tensor<P>& declare_output(DType dtype) {
    return gpu_.tensor(TensorName::O, streams_, {problem_.rows(), problem_.head_dim_v}, dtype);
  }
  /// Declares a tensor with one row per query row and stream.
  Tensor<P>& declare_rows(TensorName name, Count cols, DType dtype) {
    return gpu_.tensor(name, streams_, {problem_.rows(), cols}, dtype);
  }

  View<P> q(Count stream, Count row, Count rows) { return whole_rows(q_, stream, row, rows); }
  View<P> k(Count stream, Count row, Count rows) { return whole_rows(k_, kv_stream(stream), row, rows); }
  View<P> v(Count stream, Count row, Count rows) { return whole_rows(v_, kv_stream(stream), row, rows); }

  /// Columns [col, col + cols) of a view.
  static View<P> columns(View<P> view, Count col, Count cols) {
    view.col = col;
    view.shape.cols = cols;
    return view;
  }
  static View<P> whole_rows(Tensor<P>& tensor, Count stream, Count row, Count rows) {
    return {.tensor = &tensor,
            .stream = static_cast<std::size_t>(stream),
            .row = row,
            .shape = {.rows = rows, .cols = tensor.shape.cols}};
  }

 private:
  Count kv_streams() const {
    return named("batch x kv_heads", [&] { return checked::multiply(problem_.batch, problem_.kv_heads); });
  }
  Gpu<P>& gpu_;
  const Problem& problem_;
  Count streams_;
  Tensor<P>& q_;
  Tensor<P>& k_;
  Tensor<P>& v_;
};

extern template class Operands<Ghost>;  // compiled once, in block.cpp
extern template class Operands<Real<float>>;
extern template class Operands<Real<double>>;

/// 1 / sqrt(head_dim).
inline double score_scale(const Problem& problem) { return 1.0 / std::sqrt(static_cast<double>(problem.head_dim)); }

}  // namespace tilemeter
