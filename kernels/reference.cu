#include "kernels/reference.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/typed_memory.cuh"
#include "kernels/visibility.hpp"
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

struct AttentionView {
  TypedMemory q, k, v;
  Count heads, group, seq_q, head_dim, head_dim_v;
  Visibility visible;
  double scale;
  bool softmax;  ///< else the scores themselves are the weights
  DType score_type;
};

/// A row of attention: its matrices, and the keys that it sees.
struct AttentionRow {
  Count q, keys;  ///< first element of its Q; first row of K and V
  Range seen;
};

__device__ AttentionRow attention_row(const AttentionView& view, Count row) {
  const Count stream = row / view.seq_q;
  const Count kv_stream = stream / view.heads * (view.heads / view.group) + stream % view.heads / view.group;
  return {row * view.head_dim, kv_stream * view.visible.keys,
          visible_keys(view.visible, row % view.seq_q, 0, view.visible.keys)};
}

__device__ double score(const AttentionView& view, const double* q, Count key) {
  double dot = 0;
  for (Count i = 0; i < view.head_dim; ++i) dot += q[i] * view.k.at(key * view.head_dim + i);
  return dot * view.scale;
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

/// One block a row. Shared memory: q and the sums of the three kinds of O.
__global__ void reference_attention(AttentionView view, Results to, double* lse, double empty_lse) {
  extern __shared__ double shared[];
  __shared__ double weights[threads], rounded_weights[threads];
  double* q = shared;
  double* o = q + view.head_dim;
  double* rounded_o = o + view.head_dim_v;
  double* squares = rounded_o + view.head_dim_v;
  const AttentionRow row = attention_row(view, to.rows[blockIdx.x]);
  for (Count i = threadIdx.x; i < view.head_dim; i += threads) q[i] = view.q.at(row.q + i);
  for (Count i = threadIdx.x; i < 3 * view.head_dim_v; i += threads) o[i] = 0;
  __syncthreads();
  Normaliser exact, rounded;
  for (Count key = row.seen.first + threadIdx.x; view.softmax && key < row.seen.last; key += threads) {
    const double value = score(view, q, row.keys + key);
    exact.add(value);
    rounded.add(rounded_to(view.score_type, value));
  }
  exact = exact.over_block();
  rounded = rounded.over_block();
  for (Count first = row.seen.first; first < row.seen.last; first += threads) {
    const Count tile = min(Count{threads}, row.seen.last - first);
    if (threadIdx.x < tile) {
      const double value = score(view, q, row.keys + first + threadIdx.x);
      const double coarse = rounded_to(view.score_type, value);
      weights[threadIdx.x] = view.softmax ? exact.weight(value) : value;
      rounded_weights[threadIdx.x] = view.softmax ? rounded_to(view.score_type, rounded.weight(coarse)) : coarse;
    }
    __syncthreads();
    for (Count col = threadIdx.x; col < view.head_dim_v; col += threads) {
      for (Count i = 0; i < tile; ++i) {
        const double v = view.v.at((row.keys + first + i) * view.head_dim_v + col);
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
    to.rounded[at] = rounded_to(view.v.type, rounded_o[col]);
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

/// No memory for a tensor that the launch does not have.
TypedMemory typed(const Tensors& tensors, std::span<const Operand> operands, TensorName tensor) {
  const auto own = std::find_if(operands.begin(), operands.end(), [&](const auto& o) { return o.name == tensor; });
  return own == operands.end() ? TypedMemory{} : TypedMemory{tensors[tensor], own->type};
}

AttentionView view_of(const Tensors& tensors, std::span<const Operand> operands, const Case& point,
                      Computation computation) {
  const Problem& problem = point.problem;
  const bool softmax = computation == Computation::attention;
  return {.q = typed(tensors, operands, TensorName::Q),
          .k = typed(tensors, operands, TensorName::K),
          .v = typed(tensors, operands, TensorName::V),
          .heads = problem.heads,
          .group = problem.group(),
          .seq_q = problem.seq_q,
          .head_dim = problem.head_dim,
          .head_dim_v = problem.head_dim_v,
          .visible = visibility_of(problem, problem.seq_k + 1),
          .scale = softmax ? 1 / std::sqrt(static_cast<double>(problem.head_dim)) : 1,
          .softmax = softmax,
          .score_type = problem.score_dtype};
}

LayerView layer_view(const Tensors& tensors, std::span<const Operand> operands, const Case& point) {
  const auto& [shapes, options] = std::tie(point.shapes, point.options);
  return {.x = typed(tensors, operands, TensorName::X),
          .w = typed(tensors, operands, TensorName::W),
          .scales = typed(tensors, operands, TensorName::scales),
          .tokens = shapes.tokens,
          .d_in = shapes.d_in,
          .d_out = shapes.d_out,
          .group = options.group_size,
          .groups = options.group_size > 0 ? ceil_div(shapes.d_in, options.group_size) : 0,
          .scale = whole_scale(options.weight_type)};
}

std::vector<ReferenceRows> attention(const Tensors& tensors, std::span<const Operand> operands, const Case& point,
                                     Computation computation, Results to, std::size_t rows, ReferenceRows o,
                                     double empty_lse, Stream stream) {
  const AttentionView view = view_of(tensors, operands, point, computation);
  if (!view.softmax) o.squares = Buffer<double>(o.exact.size());
  to.squares = o.squares.data();
  ReferenceRows lse{.tensor = TensorName::LSE};
  if (view.softmax) lse.exact = Buffer<double>(rows);
  const auto shared = static_cast<std::size_t>(view.head_dim + 3 * view.head_dim_v) * sizeof(double);
  reference_attention<<<static_cast<unsigned>(rows), threads, shared, stream>>>(view, to, lse.exact.data(), empty_lse);
  std::vector<ReferenceRows> results;
  results.push_back(std::move(o));
  if (view.softmax) results.push_back(std::move(lse));
  return results;
}

}  // namespace

std::vector<ReferenceRows> reference_rows(std::string_view algorithm, const Tensors& tensors,
                                          std::span<const Operand> operands, const Case& point,
                                          std::span<const Count> rows, double empty_lse, Stream stream) {
  if (rows.empty()) return {};
  const OutputShape shape = output_shape(algorithm, point);
  const Computation computation = formula_of(algorithm).computation;
  const Buffer<Count> chosen(rows);
  const auto blocks = static_cast<unsigned>(rows.size());
  ReferenceRows output{.tensor = shape.tensor, .cols = shape.cols};
  output.exact = Buffer<double>(rows.size() * static_cast<std::size_t>(shape.cols));
  output.rounded = Buffer<double>(output.exact.size());
  const Results to{chosen.data(), output.exact.data(), output.rounded.data(), nullptr};
  const auto memory = [&](TensorName tensor) { return typed(tensors, operands, tensor); };
  std::vector<ReferenceRows> results;
  if (has_sequences(computation)) {
    results = attention(tensors, operands, point, computation, to, rows.size(), std::move(output), empty_lse, stream);
  } else {
    if (computation == Computation::gemm) {
      reference_gemm<<<blocks, threads, 0, stream>>>(memory(TensorName::A), memory(TensorName::B), point.shapes.m,
                                                     point.shapes.n, point.shapes.k, to);
    } else if (computation == Computation::layer) {
      reference_layer<<<blocks, threads, 0, stream>>>(layer_view(tensors, operands, point), to);
    } else if (computation == Computation::softmax) {
      reference_softmax<<<blocks, threads, 0, stream>>>(memory(TensorName::X), point.shapes.cols, to);
    } else {
      reference_chain<<<(blocks + threads - 1) / threads, threads, 0, stream>>>(
          memory(TensorName::X), memory(TensorName::side), point.shapes.length, point.options.ops,
          point.options.side_inputs, static_cast<Count>(rows.size()), to);
    }
    results.push_back(std::move(output));
  }
  TILEMETER_CHECK(cudaGetLastError());
  TILEMETER_CHECK(cudaStreamSynchronize(stream));
  return results;
}

}  // namespace tilemeter::kernels
