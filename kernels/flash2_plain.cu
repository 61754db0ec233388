#include "kernels/flash2_plain.hpp"

#include <cmath>
#include <limits>

#include "kernels/dispatch.hpp"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "kernels/tile.cuh"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels {
namespace {

/// Sizes of a block. Eight neighbouring threads, the lanes, share a row; lane c holds the scores of columns
/// c, c + 8, ... and the chunks c, c + 8, ... of O. A thread holds rows group, group + groups, ...
template <int BlockQ, int BlockK, int HeadDim, int HeadDimV>
struct Shape {
  static constexpr int block_q = BlockQ, block_k = BlockK, head_dim = HeadDim, head_dim_v = HeadDimV;
  static constexpr int lanes = Flash2PlainLayout::lanes, rows = Flash2PlainLayout::rows;
  static constexpr int groups = block_q / rows;
  static constexpr int threads = groups * lanes;
  static constexpr int columns = block_k / lanes;                 ///< scores of a thread's row
  static constexpr int chunks = head_dim_v / chunk_size / lanes;  ///< chunks of O of a thread's row
  static_assert(groups % (32 / lanes) == 0 && block_k % lanes == 0 && chunks > 0);

  __device__ static int lane() { return threadIdx.x % lanes; }
  __device__ static int row(int i) { return threadIdx.x / lanes + i * groups; }
};

struct Arguments {
  const float* q;
  const float* k;
  const float* v;
  float* o;
  float* lse;
  Visibility visible;
  Count seq_q;
  Count seq_k;
  Count row_blocks;  ///< of one stream
  Count group;       ///< query heads per K/V head
  float scale;
  float empty_lse;
};

/// The row block of this thread block.
struct Place {
  Count stream;
  Count kv_stream;
  Count row_begin;

  __device__ Place(const Arguments& a, int block_q)
      : stream(blockIdx.x / a.row_blocks),
        kv_stream(stream / a.group),
        row_begin(blockIdx.x % a.row_blocks * block_q) {}
};

/// What a thread keeps of its rows from tile to tile.
template <class S>
struct State {
  float4 o[S::rows][S::chunks] = {};
  float m[S::rows];
  float l[S::rows] = {};

  __device__ State() {
    for (float& maximum : m) maximum = -INFINITY;
  }
};

template <class S>
using Scores = float[S::rows][S::columns];

__device__ void multiply_add(float4& sum, float a, const float4& b) {
  sum.x += a * b.x;
  sum.y += a * b.y;
  sum.z += a * b.z;
  sum.w += a * b.w;
}

__device__ float dot(const float4& a, const float4& b, float sum) {
  return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

template <int Lanes>
__device__ float max_of_lanes(float value) {
  for (int distance = Lanes / 2; distance > 0; distance /= 2) {
    value = fmaxf(value, __shfl_xor_sync(~0u, value, distance));
  }
  return value;
}

template <int Lanes>
__device__ float sum_of_lanes(float value) {
  for (int distance = Lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
}

template <class S, class Counters>
__device__ void load_q(const SharedTile<S::block_q, S::head_dim>& tile, const Arguments& a, const Place& place,
                       Counters& counters) {
  const float* from = a.q + (place.stream * a.seq_q + place.row_begin) * S::head_dim;
  load_tile<S::threads>(tile, from, a.seq_q - place.row_begin, TensorName::Q, counters);
}

template <class S, class Counters>
__device__ void load_k(const SharedTile<S::block_k, S::head_dim>& tile, const Arguments& a, const Place& place,
                       Count key_begin, Counters& counters) {
  const float* from = a.k + (place.kv_stream * a.seq_k + key_begin) * S::head_dim;
  load_tile<S::threads>(tile, from, a.visible.keys - key_begin, TensorName::K, counters);
}

template <class S, class Counters>
__device__ void load_v(const SharedTile<S::block_k, S::head_dim_v>& tile, const Arguments& a, const Place& place,
                       Count key_begin, Counters& counters) {
  const float* from = a.v + (place.kv_stream * a.seq_k + key_begin) * S::head_dim_v;
  load_tile<S::threads>(tile, from, a.visible.keys - key_begin, TensorName::V, counters);
}

/// S = scale Q K^T.
template <class S>
__device__ void scores(Scores<S>& s, const SharedTile<S::block_q, S::head_dim>& q,
                       const SharedTile<S::block_k, S::head_dim>& k, float scale) {
  for (auto& row : s) {
    for (float& score : row) score = 0;
  }
#pragma unroll 2
  for (int chunk = 0; chunk < q.chunks; ++chunk) {
    float4 q_chunk[S::rows];
    for (int i = 0; i < S::rows; ++i) q_chunk[i] = q.at(S::row(i), chunk);
#pragma unroll
    for (int j = 0; j < S::columns; ++j) {
      const float4 k_chunk = k.at(S::lane() + j * S::lanes, chunk);
      for (int i = 0; i < S::rows; ++i) s[i][j] = dot(q_chunk[i], k_chunk, s[i][j]);
    }
  }
  for (auto& row : s) {
    for (float& score : row) score *= scale;
  }
}

/// S = -infinity where the row does not see the key, or the tile has no such key.
template <class S>
__device__ void mask(Scores<S>& s, const Arguments& a, const Place& place, Count key_begin) {
  const Count keys = clamp(a.visible.keys - key_begin, 0, S::block_k);
  for (int i = 0; i < S::rows; ++i) {
    const Range seen = visible_keys(a.visible, place.row_begin + S::row(i), key_begin, keys);
    const int first = static_cast<int>(seen.first), last = static_cast<int>(seen.last);
    for (int j = 0; j < S::columns; ++j) {
      const int column = S::lane() + j * S::lanes;
      if (column < first || column >= last) s[i][j] = -INFINITY;
    }
  }
}

/// P = exp(S - m) over S, with the new m and l; `alpha` is what earlier sums shrink by. While a row has seen no key
/// its m is -infinity, and 0 stands in for it in the exponents.
template <class S>
__device__ void softmax(Scores<S>& s, State<S>& state, float (&alpha)[S::rows]) {
  for (int i = 0; i < S::rows; ++i) {
    float m = state.m[i];
    for (const float score : s[i]) m = fmaxf(m, score);
    m = max_of_lanes<S::lanes>(m);
    const float base = m == -INFINITY ? 0 : m;
    float sum = 0;
    for (float& score : s[i]) {
      score = expf(score - base);
      sum += score;
    }
    alpha[i] = expf(state.m[i] - base);
    state.l[i] = alpha[i] * state.l[i] + sum_of_lanes<S::lanes>(sum);
    state.m[i] = m;
  }
}

/// O = diag(alpha) O.
template <class S>
__device__ void rescale(State<S>& state, const float (&alpha)[S::rows]) {
  for (int i = 0; i < S::rows; ++i) {
    for (float4& o : state.o[i]) o = {alpha[i] * o.x, alpha[i] * o.y, alpha[i] * o.z, alpha[i] * o.w};
  }
}

/// O = O + P V; each lane in turn hands its columns of P to the others.
template <class S>
__device__ void accumulate(State<S>& state, const Scores<S>& p, const SharedTile<S::block_k, S::head_dim_v>& v) {
#pragma unroll 1
  for (int owner = 0; owner < S::lanes; ++owner) {
#pragma unroll
    for (int j = 0; j < S::columns; ++j) {
      float p_column[S::rows];
      for (int i = 0; i < S::rows; ++i) p_column[i] = __shfl_sync(~0u, p[i][j], owner, S::lanes);
      for (int n = 0; n < S::chunks; ++n) {
        const float4 v_chunk = v.at(owner + j * S::lanes, S::lane() + n * S::lanes);
        for (int i = 0; i < S::rows; ++i) multiply_add(state.o[i][n], p_column[i], v_chunk);
      }
    }
  }
}

/// O = O / l and m = LSE = m + log l; rows without keys get O = 0 and the LSE asked for.
template <class S>
__device__ void finish(State<S>& state, float empty_lse) {
  float reciprocal[S::rows];
  for (int i = 0; i < S::rows; ++i) {
    const bool empty = state.l[i] == 0;
    reciprocal[i] = empty ? 0 : 1 / state.l[i];
    state.m[i] = empty ? empty_lse : state.m[i] + logf(state.l[i]);
  }
  rescale<S>(state, reciprocal);
}

template <class S, class Counters>
__device__ void store(const State<S>& state, const Arguments& a, const Place& place, Counters& counters) {
  for (int i = 0; i < S::rows; ++i) {
    const Count row = place.row_begin + S::row(i);
    if (row >= a.seq_q) continue;
    auto* o = reinterpret_cast<float4*>(a.o + (place.stream * a.seq_q + row) * S::head_dim_v);
    for (int n = 0; n < S::chunks; ++n) {
      o[S::lane() + n * S::lanes] = state.o[i][n];
      counters.write(TensorName::O, chunk_size);
    }
    if (S::lane() == 0) {
      a.lse[place.stream * a.seq_q + row] = state.m[i];
      counters.write(TensorName::LSE, 1);
    }
  }
}

/// One thread block computes block_q rows of one stream.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads)
    flash2_plain(const __grid_constant__ Arguments a, typename Counters::Records records) {
  extern __shared__ float4 shared[];
  const SharedTile<S::block_q, S::head_dim> q{shared};
  const SharedTile<S::block_k, S::head_dim> k{q.data + q.size};
  const SharedTile<S::block_k, S::head_dim_v> v{k.data + k.size};
  const Place place(a, S::block_q);
  const Range tiles = visited_tiles(a.visible, place.row_begin, S::block_q, S::block_k);
  Counters counters;
  State<S> state;

  if (!tiles.empty()) load_q<S>(q, a, place, counters);
  for (Count tile = tiles.first; tile < tiles.last; ++tile) {
    const Count key_begin = tile * S::block_k;
    load_k<S>(k, a, place, key_begin, counters);
    load_v<S>(v, a, place, key_begin, counters);
    __syncthreads();
    Scores<S> s;
    scores<S>(s, q, k, a.scale);
    mask<S>(s, a, place, key_begin);
    float alpha[S::rows];
    softmax<S>(s, state, alpha);
    rescale<S>(state, alpha);
    accumulate<S>(state, s, v);
    __syncthreads();
    counters.tile();
  }
  finish<S>(state, a.empty_lse);
  store<S>(state, a, place, counters);
  counters.flush(records);
}

Arguments arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const bool plus = point.options.empty_lse == EmptyLse::plus_infinity;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {.q = tensors.at<const float>(TensorName::Q),
          .k = tensors.at<const float>(TensorName::K),
          .v = tensors.at<const float>(TensorName::V),
          .o = tensors.at<float>(TensorName::O),
          .lse = tensors.at<float>(TensorName::LSE),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .row_blocks = ceil_div(problem.seq_q, point.tiling.block_q),
          .group = problem.group(),
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(problem.head_dim))),
          .empty_lse = plus ? infinity : -infinity};
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash2_plain"), tensors, point);
  const Count blocks = grid_blocks(point);
  if (blocks == 0) return;
  with_tiling<flash2_plain_tilings>(point, [&](auto index) {
    constexpr KernelTiling tiling = flash2_plain_tilings[index];
    using S = Shape<static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                    static_cast<int>(tiling.head_dim), static_cast<int>(tiling.head_dim_v)>;
    static_assert(S::threads == tiling.threads);
    constexpr int shared = static_cast<int>(tiling.shared.value());
    constexpr auto kernel = flash2_plain<S, typename Recorder::Counters>;
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream>>>(arguments(tensors, point),
                                                                          recorder.records(blocks));
    TILEMETER_CHECK(cudaGetLastError());
  });
}

}  // namespace

void launch_flash2_plain(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash2_plain(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash_operands(point), stream);
}

}  // namespace tilemeter::kernels
