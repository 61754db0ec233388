#include "kernels/reference_gradients.hpp"

#include <cmath>

#include "kernels/reference_forward.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 128;

/// The sum of the values of all threads, in each.
__device__ double sum_of_block(double value) {
  __shared__ double values[threads];
  __syncthreads();
  values[threadIdx.x] = value;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
  }
  __syncthreads();
  return values[0];
}

/// What the gradients read: statistics of all query rows, and O as it lies in memory.
struct GradientView {
  AttentionView forward;
  TypedMemory d_o, o;
  const double* lse;
  const double* d;          ///< rowsum(dO o O)
  const double* rounded_d;  ///< the same with O from memory
  DType dp_type;            ///< in which dP goes through memory, or fp64
};

/// Which rows a block has one of: dQ of a query, or dK and dV of a key. The other kind are its partners.
enum class Side { query, key };

struct GradientResults {
  const Count* rows;
  double *exact, *rounded, *squares;  ///< of dQ or dK
  double *exact_dv, *rounded_dv;      ///< of dV, for Side::key
};

/// A query row meets a key.
struct Pair {
  Count query;  ///< over all streams
  Count key;    ///< over all K/V streams
  bool visible;
};

__device__ Pair pair_of(const AttentionView& view, Side side, Count row, Count partner) {
  const Count query = side == Side::query ? row : partner;
  const Count position = side == Side::query ? partner : row % view.seq_k;
  const Range seen = visible_keys(view.visible, query % view.seq_q, 0, view.visible.keys);
  return {query, side == Side::query ? view.kv_stream(row / view.seq_q) * view.seq_k + partner : row,
          seen.first <= position && position < seen.last};
}

__device__ double dot(const TypedMemory& a, Count row, const TypedMemory& b, Count other, Count cols) {
  double sum = 0;
  for (Count i = 0; i < cols; ++i) sum += a.at(row * cols + i) * b.at(other * cols + i);
  return sum;
}

/// P and dS of a pair, exact and rounded, and P o dP alone.
struct PairWeights {
  double p, rounded_p, ds, rounded_ds, first;
};

__device__ PairWeights weights_of(const GradientView& view, const Pair& pair) {
  const AttentionView& forward = view.forward;
  if (!pair.visible) return {};
  const double s = dot(forward.q, pair.query, forward.k, pair.key, forward.head_dim) * forward.scale;
  const double dp = dot(view.d_o, pair.query, forward.v, pair.key, forward.head_dim_v);
  const double p = exp(s - view.lse[pair.query]);
  const DType type = forward.score_type;
  return {
      .p = p,
      .rounded_p = rounded_to(type, p),
      .ds = p * (dp - view.d[pair.query]) * forward.scale,
      .rounded_ds = rounded_to(type, p * (rounded_to(view.dp_type, dp) - view.rounded_d[pair.query])) * forward.scale,
      .first = p * dp * forward.scale};
}

/// One block a row, which meets its partners `threads` at a time. Shared memory: five sums a column.
__global__ void reference_gradient(GradientView view, Side side, GradientResults to) {
  extern __shared__ double sums[];
  __shared__ PairWeights weights[threads];
  const AttentionView& forward = view.forward;
  const Count d = forward.head_dim, d_v = forward.head_dim_v;
  double *exact = sums, *rounded = exact + d, *first = rounded + d, *dv = first + d, *rounded_dv = dv + d_v;
  for (Count i = threadIdx.x; i < 3 * d + 2 * d_v; i += threads) sums[i] = 0;
  const Count row = to.rows[blockIdx.x];
  const bool is_query = side == Side::query;
  const TypedMemory& other = is_query ? forward.k : forward.q;
  Count begin = 0, partners = forward.seq_k, other_begin = forward.kv_stream(row / forward.seq_q) * forward.seq_k;
  if (!is_query) {
    const Count kv_heads = forward.heads / forward.group, kv = row / forward.seq_k;
    const Count stream = kv / kv_heads * forward.heads + kv % kv_heads * forward.group;
    begin = other_begin = stream * forward.seq_q;
    partners = forward.group * forward.seq_q;
  }
  for (Count tile = 0; tile < partners; tile += threads) {
    const Count count = min(Count{threads}, partners - tile);
    __syncthreads();
    if (threadIdx.x < count) {
      weights[threadIdx.x] = weights_of(view, pair_of(forward, side, row, begin + tile + threadIdx.x));
    }
    __syncthreads();
    for (Count col = threadIdx.x; col < d; col += threads) {
      for (Count i = 0; i < count; ++i) {
        const double value = other.at((other_begin + tile + i) * d + col);
        exact[col] += weights[i].ds * value;
        rounded[col] += weights[i].rounded_ds * value;
        first[col] += weights[i].first * value;
      }
    }
    for (Count col = threadIdx.x; !is_query && col < d_v; col += threads) {
      for (Count i = 0; i < count; ++i) {
        const double value = view.d_o.at((other_begin + tile + i) * d_v + col);
        dv[col] += weights[i].p * value;
        rounded_dv[col] += weights[i].rounded_p * value;
      }
    }
  }
  for (Count col = threadIdx.x; col < d; col += threads) {
    const Count at = blockIdx.x * d + col;
    to.exact[at] = exact[col];
    to.rounded[at] = rounded_to(forward.q.type, rounded[col]);
    to.squares[at] = first[col] * first[col];
  }
  for (Count col = threadIdx.x; !is_query && col < d_v; col += threads) {
    to.exact_dv[blockIdx.x * d_v + col] = dv[col];
    to.rounded_dv[blockIdx.x * d_v + col] = rounded_to(forward.v.type, rounded_dv[col]);
  }
}

/// One block a row: rowsum(dO o O) of what lies in memory.
__global__ void reference_row_products(TypedMemory d_o, TypedMemory o, Count cols, double* to) {
  double sum = 0;
  for (Count i = threadIdx.x; i < cols; i += threads)
    sum += d_o.at(blockIdx.x * cols + i) * o.at(blockIdx.x * cols + i);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) to[blockIdx.x] = sum;
}

/// A tensor of `rows`, to be filled.
ReferenceRows rows_of(TensorName tensor, Count cols, const std::vector<Count>& rows) {
  ReferenceRows reference{.tensor = tensor, .cols = cols, .rows = rows};
  reference.exact = Buffer<double>(rows.size() * static_cast<std::size_t>(cols));
  reference.rounded = Buffer<double>(reference.exact.size());
  return reference;
}

void add_rows(std::vector<ReferenceRows>& results, const GradientView& view, const RowsToCheck& checked,
              Stream stream) {
  const AttentionView& forward = view.forward;
  const Side side = checked.shape.tensor == TensorName::dQ ? Side::query : Side::key;
  const Buffer<Count> rows{std::span<const Count>(checked.rows)};
  ReferenceRows own = rows_of(checked.shape.tensor, forward.head_dim, checked.rows);
  own.squares = Buffer<double>(own.exact.size());
  GradientResults to{rows.data(), own.exact.data(), own.rounded.data(), own.squares.data(), nullptr, nullptr};
  ReferenceRows dv =
      rows_of(TensorName::dV, forward.head_dim_v, side == Side::key ? checked.rows : std::vector<Count>());
  to.exact_dv = dv.exact.data();
  to.rounded_dv = dv.rounded.data();
  if (!checked.rows.empty()) {
    const auto shared = static_cast<std::size_t>(3 * forward.head_dim + 2 * forward.head_dim_v) * sizeof(double);
    reference_gradient<<<static_cast<unsigned>(checked.rows.size()), threads, shared, stream>>>(view, side, to);
    TILEMETER_CHECK(cudaGetLastError());
    TILEMETER_CHECK(cudaStreamSynchronize(stream));
  }
  results.push_back(std::move(own));
  if (side == Side::key) results.push_back(std::move(dv));
}

}  // namespace

void leave_forward_results(const Tensors& tensors, std::span<const Operand> operands, const Case& point,
                           Stream stream) {
  ForwardResults to;
  bool any = false;
  for (const Operand& operand : operands) {
    if (operand.role != Role::forward) continue;
    any = true;
    const TypedMemory memory{tensors[operand.name], operand.type};
    if (operand.name == TensorName::O) to.o = memory;
    if (operand.name == TensorName::LSE) to.lse = memory;
    if (operand.name == TensorName::l) to.l = memory;
    if (operand.name == TensorName::m) to.m = memory;
    if (operand.name == TensorName::P) to.p = memory;
  }
  if (any) launch_forward(attention_view(tensors, operands, point.problem), to, point.problem, stream);
}

std::vector<ReferenceRows> reference_gradients(const Tensors& tensors, std::span<const Operand> operands,
                                               const Case& point, std::span<const RowsToCheck> checked, Stream stream) {
  const Problem& problem = point.problem;
  const Count rows = problem.batch * problem.heads * problem.seq_q;
  Buffer<double> lse(static_cast<std::size_t>(rows)), d(lse.size()), rounded_d(lse.size());
  GradientView view{.forward = attention_view(tensors, operands, problem),
                    .d_o = typed_memory(tensors, operands, TensorName::dO),
                    .o = typed_memory(tensors, operands, TensorName::O),
                    .lse = lse.data(),
                    .d = d.data(),
                    .rounded_d = rounded_d.data(),
                    .dp_type = DType::fp64};
  const ForwardResults to{.lse = {lse.data(), DType::fp64}, .d_o = view.d_o, .d = d.data()};
  launch_forward(view.forward, to, problem, stream);
  if (view.o.data == nullptr) {  // standard attention sums P o dP of what lies in memory instead
    view.rounded_d = d.data();
    view.dp_type = problem.score_dtype;
  }
  if (rows > 0 && view.o.data != nullptr) {
    reference_row_products<<<static_cast<unsigned>(rows), threads, 0, stream>>>(view.d_o, view.o, problem.head_dim_v,
                                                                                rounded_d.data());
    TILEMETER_CHECK(cudaGetLastError());
  }
  std::vector<ReferenceRows> results;
  for (const RowsToCheck& part : checked) add_rows(results, view, part, stream);
  return results;
}

}  // namespace tilemeter::kernels
