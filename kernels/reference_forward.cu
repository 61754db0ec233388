#include <string>

#include "kernels/check.hpp"
#include "kernels/reference_forward.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 256;
constexpr int rows = 32;                                    ///< of Q, a block
constexpr int keys = 64;                                    ///< of a tile
constexpr int depth = 32;                                   ///< of the sums of Q K^T, at a time
constexpr int columns = 64;                                 ///< of V, at a time
constexpr int rows_of_output = rows / (threads / columns);  ///< of O, a thread

/// Rows and keys of a tile of scores that a thread has: row 16 i + thread / 16, key 16 j + thread mod 16.
struct ScorePlace {
  static constexpr int across = 16, down = rows / (threads / across), right = keys / across;
  __device__ static int row(int i) { return i * (threads / across) + threadIdx.x / across; }
  __device__ static int key(int j) { return j * across + threadIdx.x % across; }
};
using Scores = double[ScorePlace::down][ScorePlace::right];

struct Shared {
  double q[rows][depth + 1];
  double k[keys][depth + 1];
  double p[rows][keys];
  double m[rows], l[rows];
};

struct Rows {
  Count q;     ///< first row, over all streams
  Count keys;  ///< first key, over all K/V streams
  Count of_stream;
  Count valid;
};

/// Scores of the rows with `keys` keys from `first` on, -infinity where a row does not see the key.
__device__ void scores(Scores& s, Shared& shared, const AttentionView& view, const Rows& block, Count first) {
  for (auto& row : s) {
    for (double& value : row) value = 0;
  }
  for (Count begin = 0; begin < view.head_dim; begin += depth) {
    __syncthreads();
    for (int i = threadIdx.x; i < rows * depth; i += threads) {
      const Count row = i / depth, col = begin + i % depth;
      const bool there = row < block.valid && col < view.head_dim;
      shared.q[row][i % depth] = there ? view.q.at((block.q + row) * view.head_dim + col) : 0;
    }
    for (int i = threadIdx.x; i < keys * depth; i += threads) {
      const Count key = i / depth, col = begin + i % depth;
      const bool there = first + key < view.seq_k && col < view.head_dim;
      shared.k[key][i % depth] = there ? view.k.at((block.keys + first + key) * view.head_dim + col) : 0;
    }
    __syncthreads();
    for (int term = 0; term < depth; ++term) {
#pragma unroll
      for (int i = 0; i < ScorePlace::down; ++i) {
#pragma unroll
        for (int j = 0; j < ScorePlace::right; ++j) {
          s[i][j] += shared.q[ScorePlace::row(i)][term] * shared.k[ScorePlace::key(j)][term];
        }
      }
    }
  }
  for (int i = 0; i < ScorePlace::down; ++i) {
    const Count row = block.of_stream + ScorePlace::row(i);
    const Range seen = visible_keys(view.visible, row, 0, view.visible.keys);
    for (int j = 0; j < ScorePlace::right; ++j) {
      const Count key = first + ScorePlace::key(j);
      s[i][j] = seen.first <= key && key < seen.last ? s[i][j] * view.scale : -INFINITY;
    }
  }
}

/// `value` reduced over the 16 threads that share a row of scores.
template <class Reduce>
__device__ double over_row(double value, Reduce reduce) {
  for (int distance = ScorePlace::across / 2; distance > 0; distance /= 2) {
    value = reduce(value, __shfl_xor_sync(~0u, value, distance));
  }
  return value;
}

/// Adds a tile of scores to the rows' maxima and sums of exponentials.
__device__ void add_scores(Shared& shared, const Scores& s) {
  for (int i = 0; i < ScorePlace::down; ++i) {
    const int row = ScorePlace::row(i);
    double largest = shared.m[row];
    for (const double value : s[i]) largest = fmax(largest, value);
    largest = over_row(largest, [](double a, double b) { return fmax(a, b); });
    double sum = 0;
    for (const double value : s[i]) sum += value == -INFINITY ? 0 : exp(value - largest);
    sum = over_row(sum, [](double a, double b) { return a + b; });
    __syncwarp();
    if (threadIdx.x % ScorePlace::across == 0) {
      if (shared.l[row] > 0) sum += shared.l[row] * exp(shared.m[row] - largest);
      shared.l[row] = sum;
      shared.m[row] = largest;
    }
    __syncwarp();
  }
}

/// Weights of a tile, to shared memory, and to P where that is wanted.
__device__ void put_weights(Shared& shared, const Scores& s, const AttentionView& view, const Rows& block, Count first,
                            const TypedMemory& p) {
  for (int i = 0; i < ScorePlace::down; ++i) {
    const int row = ScorePlace::row(i);
    for (int j = 0; j < ScorePlace::right; ++j) {
      const Count key = first + ScorePlace::key(j);
      const double weight = s[i][j] == -INFINITY ? 0 : exp(s[i][j] - shared.m[row]) / shared.l[row];
      shared.p[row][ScorePlace::key(j)] = weight;
      if (p.data != nullptr && row < block.valid && key < view.seq_k) p.set((block.q + row) * view.seq_k + key, weight);
    }
  }
}

/// O of the thread's rows, from column thread mod 64 on in steps of 64.
using Output = double[widest_reference_v / columns][rows_of_output];

__device__ int output_row(int i) { return threadIdx.x / columns * rows_of_output + i; }

__device__ void add_output(Output& o, const Shared& shared, const AttentionView& view, const Rows& block, Count first) {
#pragma unroll
  for (int part = 0; part < widest_reference_v / columns; ++part) {
    const Count col = part * columns + threadIdx.x % columns;
    if (col >= view.head_dim_v) continue;
    for (int key = 0; key < keys && first + key < view.seq_k; ++key) {
      const double v = view.v.at((block.keys + first + key) * view.head_dim_v + col);
#pragma unroll
      for (int i = 0; i < rows_of_output; ++i) o[part][i] += shared.p[output_row(i)][key] * v;
    }
  }
}

__device__ void store_output(const Output& o, Shared& shared, const AttentionView& view, const Rows& block,
                             const ForwardResults& to) {
  double sums[rows_of_output] = {};
#pragma unroll
  for (int part = 0; part < widest_reference_v / columns; ++part) {
    const Count col = part * columns + threadIdx.x % columns;
    if (col >= view.head_dim_v) continue;
#pragma unroll
    for (int i = 0; i < rows_of_output; ++i) {
      if (output_row(i) >= block.valid) continue;
      const Count at = (block.q + output_row(i)) * view.head_dim_v + col;
      if (to.o.data != nullptr) to.o.set(at, o[part][i]);
      if (to.d != nullptr) sums[i] += to.d_o.at(at) * o[part][i];
    }
  }
  if (to.d == nullptr) return;
  __syncthreads();
  for (int i = 0; i < rows_of_output; ++i) shared.p[output_row(i)][threadIdx.x % columns] = sums[i];
  __syncthreads();
  if (threadIdx.x >= block.valid) return;
  double d = 0;
  for (const double part : shared.p[threadIdx.x]) d += part;
  to.d[block.q + threadIdx.x] = d;
}

__device__ void store_statistics(const Shared& shared, const Rows& block, const ForwardResults& to) {
  const int row = threadIdx.x;
  if (row >= block.valid) return;
  const double l = shared.l[row], m = shared.m[row];
  if (to.lse.data != nullptr) to.lse.set(block.q + row, l > 0 ? m + log(l) : INFINITY);
  if (to.l.data != nullptr) to.l.set(block.q + row, l);
  if (to.m.data != nullptr) to.m.set(block.q + row, m);
}

/// One block `rows` rows of one stream: the statistics in a first pass over the keys, O and P in a second.
__global__ void __launch_bounds__(threads) reference_forward(AttentionView view, ForwardResults to, int row_blocks) {
  __shared__ Shared shared;
  const Count stream = blockIdx.x / row_blocks, begin = Count{blockIdx.x % row_blocks} * rows;
  const Rows block{stream * view.seq_q + begin, view.kv_stream(stream) * view.seq_k, begin,
                   min(Count{rows}, view.seq_q - begin)};
  if (threadIdx.x < rows) {
    shared.m[threadIdx.x] = -INFINITY;
    shared.l[threadIdx.x] = 0;
  }
  Scores s;
  for (Count first = 0; first < view.seq_k; first += keys) {
    scores(s, shared, view, block, first);
    add_scores(shared, s);
  }
  Output o = {};
  for (Count first = 0; first < view.seq_k; first += keys) {
    scores(s, shared, view, block, first);
    put_weights(shared, s, view, block, first, to.p);
    __syncthreads();
    add_output(o, shared, view, block, first);
  }
  __syncthreads();
  store_statistics(shared, block, to);
  store_output(o, shared, view, block, to);
}

}  // namespace

void launch_forward(const AttentionView& view, const ForwardResults& to, const Problem& problem, Stream stream) {
  if (problem.head_dim_v > widest_reference_v) {
    throw InputError("--head-dim-v " + std::to_string(problem.head_dim_v) +
                     ": the reference of gradients takes up to " + std::to_string(widest_reference_v));
  }
  const Count row_blocks = ceil_div(problem.seq_q, Count{rows});
  const Count blocks = row_blocks * problem.batch * problem.heads;
  if (blocks == 0) return;
  reference_forward<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(view, to, static_cast<int>(row_blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

}  // namespace tilemeter::kernels
