#include "kernels/standard_softmax.hpp"

#include <cmath>

#include "kernels/element_type.cuh"
#include "kernels/standard.hpp"
#include "kernels/unaligned.cuh"

namespace tilemeter::kernels {
namespace {

/// Values of a row that one thread holds: chunks thread, thread + Threads, ... of the row.
template <int Chunks>
using RowValues = float[Chunks][chunk_elements];

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// `value` of all `Threads` threads of a row, reduced; several warps are all of their block.
template <int Threads, class Reduce>
__device__ float over_row(float value, Reduce reduce) {
  constexpr int warps = Threads / 32;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = reduce(value, __shfl_xor_sync(~0u, value, distance));
  }
  if constexpr (warps > 1) {
    __shared__ float of_warps[warps];
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warps[0];
    for (int warp = 1; warp < warps; ++warp) value = reduce(value, of_warps[warp]);
  }
  return value;
}

/// A row of S and of P, and the keys that it sees: first_seen up to last_seen.
template <class T>
struct Row {
  const T* s;
  T* p;
  int keys;
  int first_seen;
  int last_seen;
  bool aligned;
};

template <class T, class Counters>
__device__ uint4 load_scores(const Row<T>& row, int first, Counters& counters) {
  const int valid = valid_elements(row.keys - first);
  uint4 chunk = {0, 0, 0, 0};
  if (row.aligned && valid != 0) {
    chunk = *reinterpret_cast<const uint4*>(row.s + first);
    counters.read(TensorName::S, chunk_elements);
  } else if (valid != 0) {
    chunk = gather(row.s + first, valid);
    counters.read(TensorName::S, valid);
  }
  return chunk;
}

/// The scores of a chunk as floats, -infinity where the row does not see the key.
template <class T>
__device__ void unpack_visible(float (&values)[chunk_elements], const uint4& chunk, const Row<T>& row, int first) {
  unpack<T>(chunk, values);
  if (first >= row.first_seen && first + chunk_elements <= row.last_seen) return;
#pragma unroll
  for (int i = 0; i < chunk_elements; ++i) {
    if (first + i < row.first_seen || first + i >= row.last_seen) values[i] = -INFINITY;
  }
}

template <class T, class Counters>
__device__ void store_weights(const Row<T>& row, int first, const float (&values)[chunk_elements], float factor,
                              Counters& counters) {
  const int valid = valid_elements(row.keys - first);
  ChunkValues<T> weights;
#pragma unroll
  for (int i = 0; i < chunk_elements; ++i) weights[i] = values[i] * factor;
  const uint4 chunk = pack<T>(weights);
  if (row.aligned && valid != 0) {
    *reinterpret_cast<uint4*>(row.p + first) = chunk;
    counters.write(TensorName::P, chunk_elements);
  } else if (valid != 0) {
    scatter(row.p + first, chunk, valid);
    counters.write(TensorName::P, valid);
  }
}

inline constexpr float log2_of_e = 1.4426950408889634f;

/// The exponent's base for a maximum m: 0 stands in for -infinity, that of a row that sees no key.
__device__ inline float log2_base(float m) { return m == -INFINITY ? 0 : m * log2_of_e; }

__device__ inline float reciprocal_or_zero(float sum) { return sum == 0 ? 0 : 1 / sum; }

/// P = softmax(S) of one row, which `Threads` threads hold on chip in `Chunks` chunks each.
template <int Threads, int Chunks, class T, class Counters>
__device__ void resident_row(const Row<T>& row, Counters& counters) {
  const int thread = threadIdx.x % Threads;
  const auto first_of = [&](int i) { return (thread + i * Threads) * chunk_elements; };
  uint4 chunks[Chunks];
#pragma unroll
  for (int i = 0; i < Chunks; ++i) chunks[i] = load_scores(row, first_of(i), counters);
  RowValues<Chunks> values;
  float m = -INFINITY;
#pragma unroll
  for (int i = 0; i < Chunks; ++i) {
    unpack_visible(values[i], chunks[i], row, first_of(i));
    for (const float value : values[i]) m = fmaxf(m, value);
  }
  const float base = log2_base(over_row<Threads>(m, Largest()));
  float sum = 0;
#pragma unroll
  for (auto& chunk : values) {
#pragma unroll
    for (float& value : chunk) {
      value = exp2_approximate(fmaf(value, log2_of_e, -base));
      sum += value;
    }
  }
  const float factor = reciprocal_or_zero(over_row<Threads>(sum, Sum()));
#pragma unroll
  for (int i = 0; i < Chunks; ++i) store_weights(row, first_of(i), values[i], factor, counters);
}

/// P = softmax(S) of one row of any length in two passes: statistics, then weights.
template <int Threads, class T, class Counters>
__device__ void two_pass_row(const Row<T>& row, Counters& counters) {
  float m = -INFINITY, sum = 0;
  for (int first = threadIdx.x * chunk_elements; first < row.keys; first += Threads * chunk_elements) {
    float values[chunk_elements];
    unpack_visible(values, load_scores(row, first, counters), row, first);
    float largest = m;
    for (const float value : values) largest = fmaxf(largest, value);
    const float base = log2_base(largest);
    sum *= exp2_approximate(fmaf(m, log2_of_e, -base));
    for (const float value : values) sum += exp2_approximate(fmaf(value, log2_of_e, -base));
    m = largest;
  }
  const float base = log2_base(over_row<Threads>(m, Largest()));
  sum *= exp2_approximate(fmaf(m, log2_of_e, -base));
  const float factor = reciprocal_or_zero(over_row<Threads>(sum, Sum()));
  for (int first = threadIdx.x * chunk_elements; first < row.keys; first += Threads * chunk_elements) {
    float values[chunk_elements];
    unpack_visible(values, load_scores(row, first, counters), row, first);
    for (float& value : values) value = exp2_approximate(fmaf(value, log2_of_e, -base));
    store_weights(row, first, values, factor, counters);
  }
}

template <class T>
struct Arguments {
  const T* s;
  T* p;
  Visibility visible;
  Count seq_q;
  Count seq_k;
  Count rows;  ///< of all streams
};

/// P = softmax(S) with the mask: rows of `Threads` threads. Chunks = 0 makes two passes over a row.
template <class T, int Threads, int Chunks, class Counters>
__global__ void __launch_bounds__(Threads < 128 ? 128 : Threads)
    standard_softmax(const __grid_constant__ Arguments<T> a, typename Counters::Records records) {
  constexpr int rows = Threads < 128 ? 128 / Threads : 1;
  const Count index = Count{blockIdx.x} * rows + threadIdx.x / Threads;
  Counters counters;
  if (index < a.rows) {
    const Range seen = visible_keys(a.visible, index % a.seq_q, 0, a.visible.keys);
    const Row<T> row{.s = a.s + index * a.seq_k,
                     .p = a.p + index * a.seq_k,
                     .keys = static_cast<int>(a.seq_k),
                     .first_seen = static_cast<int>(seen.first),
                     .last_seen = static_cast<int>(seen.last),
                     .aligned = a.seq_k % chunk_elements == 0};
    if constexpr (Chunks == 0) {
      two_pass_row<Threads>(row, counters);
    } else {
      resident_row<Threads, Chunks>(row, counters);
    }
  }
  counters.flush(records);
}

/// Threads of a row, and how many chunks of it each holds.
template <int Threads, int Chunks>
struct RowShape {
  static constexpr int threads = Threads, chunks = Chunks;
  static constexpr Count keys = Threads * Chunks * chunk_elements;
};

/// Two passes over rows of any length.
struct TwoPasses {
  static constexpr int threads = 256, chunks = 0;
};

template <class T, class Shape, class Recorder>
void launch_rows(const Arguments<T>& arguments, Stream stream, Recorder& recorder) {
  constexpr int threads = Shape::threads < 128 ? 128 : Shape::threads;
  const Count blocks = ceil_div(arguments.rows, threads / Shape::threads);
  standard_softmax<T, Shape::threads, Shape::chunks, typename Recorder::Counters>
      <<<static_cast<unsigned>(blocks), threads, 0, stream>>>(arguments, recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

/// The first of the shapes, which grow, that holds a row.
template <class T, class Shape, class... Longer, class Recorder>
void launch_fitting(const Arguments<T>& arguments, Stream stream, Recorder& recorder) {
  if constexpr (sizeof...(Longer) == 0) {
    static_assert(Shape::keys == standard_resident_keys);
    launch_rows<T, Shape>(arguments, stream, recorder);
  } else if (arguments.seq_k <= Shape::keys) {
    launch_rows<T, Shape>(arguments, stream, recorder);
  } else {
    launch_fitting<T, Longer...>(arguments, stream, recorder);
  }
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  const Problem& problem = point.problem;
  with_half_type(problem.dtype, [&]<class T>(ElementType<T>) {
    const Arguments<T> arguments = {.s = tensors.at<const T>(TensorName::S),
                                    .p = tensors.at<T>(TensorName::P),
                                    .visible = visibility_of(problem, point.tiling.block_k),
                                    .seq_q = problem.seq_q,
                                    .seq_k = problem.seq_k,
                                    .rows = standard_rows(point)};
    if (point.options.row_softmax == RowSoftmax::online) {
      launch_rows<T, TwoPasses>(arguments, stream, recorder);
    } else {
      launch_fitting<T, RowShape<32, 2>, RowShape<32, 4>, RowShape<32, 8>, RowShape<128, 4>, RowShape<256, 4>,
                     RowShape<256, 8>, RowShape<512, 8>>(arguments, stream, recorder);
    }
  });
}

}  // namespace

void launch_standard_softmax(const Tensors& tensors, const Case& point, Stream stream, NoRecording& recording) {
  run(tensors, point, stream, recording);
}

void launch_standard_softmax(const Tensors& tensors, const Case& point, Stream stream, Recording& recording) {
  run(tensors, point, stream, recording);
}

}  // namespace tilemeter::kernels
