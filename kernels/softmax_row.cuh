// A row of softmax among the threads that share it: how it is loaded and stored, and its maximum and sum.
#pragma once

#include "kernels/chunks.cuh"

namespace tilemeter::kernels::rows {

inline constexpr float log2_e = 1.44269504f;

__device__ inline float exponential(float x) { return exp2_approximate(x * log2_e); }

/// `Threads` threads share a row; each holds `Chunks` chunks of it at a time. An SM runs `SmThreads` threads: their
/// registers are enough for the rows as they are in memory, and more of them were slower where rows are long, since
/// reads and writes then alternate more often.
template <class T, int Threads, int Chunks, int SmThreads>
struct Shape {
  using Element = T;
  static constexpr int threads = Threads;
  static constexpr int chunk = elements_of_chunk<T>;
  static constexpr int chunks = Chunks;
  static constexpr int block = Threads == 32 ? 256 : Threads;
  static constexpr int blocks = SmThreads / block;
  __device__ static int thread() { return threadIdx.x % Threads; }
};

/// Elements that the threads of a row can hold.
template <class S>
constexpr Count longest_row = Count{S::threads} * S::chunks * S::chunk;
/// Rows of a thread block.
template <class S>
constexpr int rows_of_block = S::block / S::threads;

template <class T>
struct Arguments {
  const T* x;
  T* y;
  Count rows;
  int cols;
  Variant variant;
};

/// A row as the 16-byte chunks that lie in it and the elements before and after them, fewer than a chunk each.
template <class S>
struct Row {
  using T = typename S::Element;
  const T* x;
  T* y;
  int head;    ///< elements before the first chunk
  int chunks;  ///< of 16 bytes
  int cols;

  /// Row `row` of the matrix; a row behind the last is empty.
  __device__ Row(const Arguments<T>& a, Count row) {
    const Count first = row * a.cols;
    cols = row < a.rows ? a.cols : 0;
    x = a.x + first;
    y = a.y + first;
    head = static_cast<int>((S::chunk - first % S::chunk) % S::chunk);
    if (head > cols) head = cols;
    chunks = (cols - head) / S::chunk;
  }

  /// Index of this thread's element before (0) and after (1) the chunks; not below `cols` if it has none.
  __device__ int edge(int side) const {
    if (side == 0) return S::thread() < head ? S::thread() : cols;
    return head + chunks * S::chunk + S::thread();
  }
};

template <class S>
using Edges = float[2];
template <class S>
using Piece = uint4[S::chunks];
template <class S>
using Values = ChunkValues<typename S::Element>;

template <class S, class Counters>
__device__ void load_edges(Edges<S>& edges, const Row<S>& row, Counters& counters) {
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    edges[side] = -INFINITY;
    if (row.edge(side) < row.cols) {
      edges[side] = static_cast<float>(row.x[row.edge(side)]);
      counters.read(TensorName::X, 1);
    }
  }
}

/// Calls `body(i, chunk, exists)` for the chunks that a thread has of the piece from chunk `first` of the row on, up to
/// the last that some thread has.
template <class S, class Body>
__device__ void for_each_slot(const Row<S>& row, int first, Body body) {
#pragma unroll
  for (int i = 0; i < S::chunks; ++i) {
    if (first + i * S::threads >= row.chunks) break;
    const int chunk = first + i * S::threads + S::thread();
    body(i, chunk, chunk < row.chunks);
  }
}

/// This thread's chunks from chunk `first` of the row on; what is not there reads as -infinity.
template <class S, class Counters>
__device__ void load_piece(Piece<S>& piece, const Row<S>& row, int first, Counters& counters) {
  Values<S> nothing;
  for (float& value : nothing) value = -INFINITY;
  const auto* chunks = reinterpret_cast<const uint4*>(row.x + row.head);
  for_each_slot<S>(row, first, [&](int i, int chunk, bool exists) {
    piece[i] = pack<typename S::Element>(nothing);
    if (exists) {
      piece[i] = chunks[chunk];
      counters.read(TensorName::X, S::chunk);
    }
  });
}

template <class S, class Quotient, class Counters>
__device__ void store_edges(const Edges<S>& edges, const Row<S>& row, Quotient quotient, Counters& counters) {
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    if (row.edge(side) < row.cols) {
      row.y[row.edge(side)] = static_cast<typename S::Element>(quotient(edges[side]));
      counters.write(TensorName::Y, 1);
    }
  }
}

template <class S, class Quotient, class Counters>
__device__ void store_piece(const Piece<S>& piece, const Row<S>& row, int first, Quotient quotient,
                            Counters& counters) {
  auto* chunks = reinterpret_cast<uint4*>(row.y + row.head);
  for_each_slot<S>(row, first, [&](int i, int chunk, bool exists) {
    if (exists) {
      Values<S> values;
      unpack<typename S::Element>(piece[i], values);
      for (float& value : values) value = quotient(value);
      __stcs(chunks + chunk, pack<typename S::Element>(values));
      counters.write(TensorName::Y, S::chunk);
    }
  });
}

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// Combines a value of each of the threads that share a row; all of them get the result. `Use` tells the uses apart
/// that no barrier separates.
template <class S, int Use, class Operation>
__device__ float combined(float value, Operation operation) {
  constexpr int warp = 32, warps = S::threads / warp;
  for (int distance = warp / 2; distance > 0; distance /= 2) {
    value = operation(value, __shfl_xor_sync(~0u, value, distance));
  }
  if constexpr (warps > 1) {
    __shared__ float of_warps[warps];
    if (threadIdx.x % warp == 0) of_warps[threadIdx.x / warp] = value;
    __syncthreads();
    value = of_warps[0];
    for (int i = 1; i < warps; ++i) value = operation(value, of_warps[i]);
  }
  return value;
}

/// Maximum and sum of exponentials of a part of a row. While there is no element, m is -infinity, and 0 stands in for
/// it in the exponents.
struct Normaliser {
  float m = -INFINITY;
  float l = 0;

  __device__ static float base(float m) { return m == -INFINITY ? 0 : m; }
  template <int N>
  __device__ void take_in_maximum(const float (&values)[N]) {
    for (const float value : values) m = fmaxf(m, value);
  }
  template <int N>
  __device__ void take_in_sum(const float (&values)[N]) {
    for (const float value : values) l += exponential(value - base(m));
  }
  template <int N>
  __device__ void take_in(const float (&values)[N]) {
    const float before = m;
    take_in_maximum(values);
    l *= exponential(before - base(m));
    take_in_sum(values);
  }
};

template <class S>
__device__ void combine_maximum(Normaliser& row) {
  row.m = combined<S, 0>(row.m, Maximum());
}
template <class S>
__device__ void combine_sum(Normaliser& row) {
  row.l = combined<S, 1>(row.l, Sum());
}

/// Calls `body` with the values of every chunk of this thread.
template <class S, class Body>
__device__ void for_each_chunk(const Piece<S>& piece, const Row<S>& row, int first, Body body) {
  for_each_slot<S>(row, first, [&](int i, int, bool) {
    Values<S> values;
    unpack<typename S::Element>(piece[i], values);
    body(values);
  });
}

/// One pass that reads the row.
template <class S, class Counters, class Body>
__device__ void pass(const Row<S>& row, Counters& counters, Body body) {
  Edges<S> edges;
  load_edges<S>(edges, row, counters);
  body(edges);
#pragma unroll 1
  for (int first = 0; first < row.chunks; first += S::threads * S::chunks) {
    Piece<S> piece;
    load_piece<S>(piece, row, first, counters);
    for_each_chunk<S>(piece, row, first, body);
  }
}

/// The pass that reads the row and writes the quotients.
template <class S, class Counters>
__device__ void last_pass(const Row<S>& row, const Normaliser& of_row, Counters& counters) {
  const float base = of_row.m, reciprocal = 1 / of_row.l;
  const auto quotient = [=](float x) { return exponential(x - base) * reciprocal; };
  Edges<S> edges;
  load_edges<S>(edges, row, counters);
  store_edges<S>(edges, row, quotient, counters);
#pragma unroll 1
  for (int first = 0; first < row.chunks; first += S::threads * S::chunks) {
    Piece<S> piece;
    load_piece<S>(piece, row, first, counters);
    store_piece<S>(piece, row, first, quotient, counters);
  }
}

}  // namespace tilemeter::kernels::rows
