#include "kernels/reference.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/reference_gradients.hpp"
#include "kernels/reference_view.cuh"
#include "model/chain.hpp"
#include "model/closed_form/catalog.hpp"
#include "model/closed_form/weight_layer.hpp"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 128;

/// Where the rows go.
struct Results {
  const Count* rows;
  double* exact;
  double* rounded;
  double* squares;  ///< null where not wanted
};

/// `combine` over the values of all threads, the same in each.
template <class Combine>
__device__ double over_block(double value, Combine combine) {
  __shared__ double values[threads];
  __syncthreads();
  values[threadIdx.x] = value;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
  }
  __syncthreads();
  return values[0];
}

__device__ double largest(double value) {
  return over_block(value, [](double a, double b) { return fmax(a, b); });
}
__device__ double sum(double value) {
  return over_block(value, [](double a, double b) { return a + b; });
}

/// A row of attention: its matrices, and the keys that it sees.
struct AttentionRow {
  Count q, kv_stream;  ///< first element of its Q; ...
  Range seen;
  double scale;
};

__device__ AttentionRow attention_row(const AttentionView& view, Count row) {
  const Count kv_stream = view.kv_stream(row / view.seq_q);
  return {row * view.head_dim, kv_stream, visible_keys(view.visible, row % view.seq_q, 0, view.visible.keys),
          view.scale_of(kv_stream)};
}

__device__ double score(const AttentionView& view, const AttentionRow& row, const double* q, Count key) {
  const Count first = (row.kv_stream * view.seq_k + key) * view.head_dim;
  double dot = 0;
  for (Count i = 0; i < view.head_dim; ++i) dot += q[i] * view.k.at(first + i);
  return dot * row.scale;
}

/// A score as a kernel rounds it; kernels of fp8 operands round the weights alone.
__device__ double rounded_score(const AttentionView& view, double value) {
  return view.score_type == DType::fp8 ? value : rounded_to(view.score_type, value);
}

/// Maximum and sum of the exponentials of a row's scores.
struct Normaliser {
  double maximum = -INFINITY;
  double sum = 0;

  __device__ void add(double score) {
    const double larger = fmax(maximum, score);
    sum = sum * (maximum == larger ? 1 : exp(maximum - larger)) + exp(score - larger);
    maximum = larger;
  }
  /// Over the threads of the block, which each have seen some of the scores, or none.
  __device__ Normaliser over_block() const {
    Normaliser whole;
    whole.maximum = largest(maximum);
    whole.sum = kernels::sum(sum == 0 ? 0 : sum * exp(maximum - whole.maximum));
    return whole;
  }
  __device__ double weight(double score) const { return exp(score - maximum) / sum; }
};

enum class Weights { softmax, scores };

/// One block a row. Shared memory: q and the sums of the three kinds of O.
__global__ void reference_attention(AttentionView view, Weights kind, Results to, double* lse, double empty_lse) {
  extern __shared__ double shared[];
  __shared__ double weights[threads], rounded_weights[threads];
  double* q = shared;
  double* o = q + view.head_dim;
  double* rounded_o = o + view.head_dim_v;
  double* squares = rounded_o + view.head_dim_v;
  const bool softmax = kind == Weights::softmax;
  const AttentionRow row = attention_row(view, to.rows[blockIdx.x]);
  for (Count i = threadIdx.x; i < view.head_dim; i += threads) q[i] = view.q.at(row.q + i);
  for (Count i = threadIdx.x; i < 3 * view.head_dim_v; i += threads) o[i] = 0;
  __syncthreads();
  Normaliser exact, rounded;
  for (Count key = row.seen.first + threadIdx.x; softmax && key < row.seen.last; key += threads) {
    const double value = score(view, row, q, key);
    exact.add(value);
    rounded.add(rounded_score(view, value));
  }
  exact = exact.over_block();
  rounded = rounded.over_block();
  for (Count first = row.seen.first; first < row.seen.last; first += threads) {
    const Count tile = min(Count{threads}, row.seen.last - first);
    if (threadIdx.x < tile) {
      const double value = score(view, row, q, first + threadIdx.x);
      const double coarse = rounded_score(view, value);
      weights[threadIdx.x] = softmax ? exact.weight(value) : value;
      rounded_weights[threadIdx.x] = softmax ? rounded_to(view.score_type, rounded.weight(coarse)) : coarse;
    }
    __syncthreads();
    for (Count col = threadIdx.x; col < view.head_dim_v; col += threads) {
      for (Count i = 0; i < tile; ++i) {
        const double v = view.value(row.kv_stream, first + i, col);
        o[col] += weights[i] * v;
        rounded_o[col] += rounded_weights[i] * v;
        squares[col] += weights[i] * weights[i] * v * v;
      }
    }
    __syncthreads();
  }
  for (Count col = threadIdx.x; col < view.head_dim_v; col += threads) {
    const Count at = blockIdx.x * view.head_dim_v + col;
    to.exact[at] = o[col];
    to.rounded[at] = rounded_to(view.output_type, rounded_o[col]);
    if (to.squares != nullptr) to.squares[at] = squares[col];
  }
  if (lse != nullptr && threadIdx.x == 0) {
    lse[blockIdx.x] = row.seen.empty() ? empty_lse : exact.maximum + log(exact.sum);
  }
}

/// One block a row of C.
__global__ void reference_gemm(TypedMemory a, TypedMemory b, Count m, Count n, Count k, Results to) {
  const Count row = to.rows[blockIdx.x];
  for (Count col = threadIdx.x; col < n; col += threads) {
    double c = 0;
    for (Count i = 0; i < k; ++i) c += a.at(row * k + i) * b.at((row / m * k + i) * n + col);
    to.exact[blockIdx.x * n + col] = c;
    to.rounded[blockIdx.x * n + col] = rounded_to(a.type, c);
  }
}

/// The operands of a layer; without `groups` all weights share a scale.
struct LayerView {
  TypedMemory x, w, scales;
  Count tokens, d_in, d_out, group, groups;
  double scale;
};

/// One block a row of Y.
__global__ void reference_layer(LayerView view, Results to) {
  const Count row = to.rows[blockIdx.x], problem = row / view.tokens;
  for (Count col = threadIdx.x; col < view.d_out; col += threads) {
    const Count feature = problem * view.d_out + col;
    double y = 0, rounded = 0;
    for (Count i = 0; i < view.d_in; ++i) {
      const double scale = view.groups > 0 ? view.scales.at(feature * view.groups + i / view.group) : view.scale;
      const double x = view.x.at(row * view.d_in + i), w = view.w.at(feature * view.d_in + i) * scale;
      y += x * w;
      rounded += x * rounded_to(view.x.type, w);
    }
    to.exact[blockIdx.x * view.d_out + col] = y;
    to.rounded[blockIdx.x * view.d_out + col] = rounded_to(view.x.type, rounded);
  }
}

/// One block a row of X.
__global__ void reference_softmax(TypedMemory x, Count cols, Results to) {
  const Count first = to.rows[blockIdx.x] * cols;
  Normaliser normaliser;
  for (Count col = threadIdx.x; col < cols; col += threads) normaliser.add(x.at(first + col));
  normaliser = normaliser.over_block();
  for (Count col = threadIdx.x; col < cols; col += threads) {
    const double y = normaliser.weight(x.at(first + col));
    to.exact[blockIdx.x * cols + col] = y;
    to.rounded[blockIdx.x * cols + col] = rounded_to(x.type, y);
  }
}

__device__ double applied(ChainStep step, double y, double side) {
  switch (step) {
    case ChainStep::leaky:
      return fmax(y, y / 4);
    case ChainStep::reflect:
      return 1 - y / 2;
    case ChainStep::side:
      return y / 2 + side;
  }
  return y;
}

/// One thread an element.
__global__ void reference_chain(TypedMemory x, TypedMemory side, Count length, Count ops, Count side_inputs, Count size,
                                Results to) {
  const Count i = blockIdx.x * Count{threads} + threadIdx.x;
  if (i >= size) return;
  const Count element = to.rows[i], problem = element / length;
  double y = x.at(element), rounded = y;
  for (Count op = 0; op < ops; ++op) {
    const double other = op < side_inputs ? side.at((problem * side_inputs + op) * length + element % length) : 0;
    y = applied(chain_step(side_inputs, op), y, other);
    rounded = rounded_to(x.type, applied(chain_step(side_inputs, op), rounded, other));
  }
  to.exact[i] = y;
  to.rounded[i] = rounded;
}

/// Where a reference finds what it reads.
struct Inputs {
  const Tensors& tensors;
  std::span<const Operand> operands;
  const Case& point;
  Stream stream;
};

LayerView layer_view(const Inputs& inputs) {
  const auto& [shapes, options] = std::tie(inputs.point.shapes, inputs.point.options);
  return {.x = typed_memory(inputs.tensors, inputs.operands, TensorName::X),
          .w = typed_memory(inputs.tensors, inputs.operands, TensorName::W),
          .scales = typed_memory(inputs.tensors, inputs.operands, TensorName::scales),
          .tokens = shapes.tokens,
          .d_in = shapes.d_in,
          .d_out = shapes.d_out,
          .group = options.group_size,
          .groups = options.group_size > 0 ? ceil_div(shapes.d_in, options.group_size) : 0,
          .scale = whole_scale(options.weight_type)};
}

/// O, and LSE beside it where there is a softmax.
std::vector<ReferenceRows> attention(const Inputs& inputs, Computation computation, Results to, ReferenceRows o,
                                     double empty_lse) {
  AttentionView view = attention_view(inputs.tensors, inputs.operands, inputs.point.problem);
  const Weights kind = computation == Computation::attention ? Weights::softmax : Weights::scores;
  ReferenceRows lse{.tensor = TensorName::LSE, .rows = o.rows};
  if (kind == Weights::softmax) {
    lse.exact = Buffer<double>(o.rows.size());
  } else {
    view.scale = 1;
    o.squares = Buffer<double>(o.exact.size());
    to.squares = o.squares.data();
  }
  const auto shared = static_cast<std::size_t>(view.head_dim + 3 * view.head_dim_v) * sizeof(double);
  reference_attention<<<static_cast<unsigned>(o.rows.size()), threads, shared, inputs.stream>>>(
      view, kind, to, lse.exact.data(), empty_lse);
  std::vector<ReferenceRows> results;
  results.push_back(std::move(o));
  if (kind == Weights::softmax) results.push_back(std::move(lse));
  return results;
}

/// The only output of a computation without sequences.
void single_output(const Inputs& inputs, Computation computation, const Results& to, std::size_t rows) {
  const auto blocks = static_cast<unsigned>(rows);
  const Case& point = inputs.point;
  const auto memory = [&](TensorName tensor) { return typed_memory(inputs.tensors, inputs.operands, tensor); };
  if (computation == Computation::gemm) {
    reference_gemm<<<blocks, threads, 0, inputs.stream>>>(memory(TensorName::A), memory(TensorName::B), point.shapes.m,
                                                          point.shapes.n, point.shapes.k, to);
  } else if (computation == Computation::layer) {
    reference_layer<<<blocks, threads, 0, inputs.stream>>>(layer_view(inputs), to);
  } else if (computation == Computation::softmax) {
    reference_softmax<<<blocks, threads, 0, inputs.stream>>>(memory(TensorName::X), point.shapes.cols, to);
  } else {
    reference_chain<<<(blocks + threads - 1) / threads, threads, 0, inputs.stream>>>(
        memory(TensorName::X), memory(TensorName::side), point.shapes.length, point.options.ops,
        point.options.side_inputs, static_cast<Count>(rows), to);
  }
}

}  // namespace

std::vector<ReferenceRows> reference_rows(std::string_view algorithm, const Tensors& tensors,
                                          std::span<const Operand> operands, const Case& point,
                                          std::span<const RowsToCheck> checked, double empty_lse, Stream stream) {
  const Computation computation = formula_of(algorithm).computation;
  if (computation == Computation::gradients) return reference_gradients(tensors, operands, point, checked, stream);
  const auto& [shape, rows] = checked.front();
  if (rows.empty()) return {};
  const Inputs inputs{tensors, operands, point, stream};
  const Buffer<Count> chosen{std::span<const Count>(rows)};
  ReferenceRows output{.tensor = shape.tensor, .cols = shape.cols, .rows = rows};
  output.exact = Buffer<double>(rows.size() * static_cast<std::size_t>(shape.cols));
  output.rounded = Buffer<double>(output.exact.size());
  const Results to{chosen.data(), output.exact.data(), output.rounded.data(), nullptr};
  std::vector<ReferenceRows> results;
  if (has_sequences(computation)) {
    results = attention(inputs, computation, to, std::move(output), empty_lse);
  } else {
    single_output(inputs, computation, to, rows.size());
    results.push_back(std::move(output));
  }
  TILEMETER_CHECK(cudaGetLastError());
  TILEMETER_CHECK(cudaStreamSynchronize(stream));
  return results;
}

}  // namespace tilemeter::kernels
