// Where the rows of a stream lie when the query heads of a K/V head are packed into it, and what both kernels of
// split_kv know of a launch.
#pragma once

#include "kernels/tensors.hpp"
#include "kernels/visibility.hpp"

namespace tilemeter::kernels::split {

inline constexpr float log2_e = 1.44269504f;
inline constexpr float ln_2 = 0.69314718f;

template <class T>
struct Arguments {
  const T* q;
  const T* k;
  const T* v;
  T* o;
  float* lse;
  float* o_parts;    ///< (batch, head, split, row, column); unused with one split
  float* lse_parts;  ///< (batch, head, row, split)
  Visibility visible;
  Count seq_q;
  Count seq_k;
  unsigned rows;        ///< of a stream
  unsigned heads;       ///< query heads that a stream packs: row r is position r / heads of head r mod heads
  unsigned kv_share;    ///< streams of a K/V head
  unsigned row_blocks;  ///< of a stream
  unsigned splits;
  Count tiles;       ///< of a split
  Count query_rows;  ///< of all heads and problems
  float scale;       ///< of the scores, for exponents to base 2
  float empty_lse;
};

/// A query row of all heads: its matrix of Q, O, LSE, and its place there.
struct QueryRow {
  Count head;
  Count position;

  template <class T>
  __device__ QueryRow(const Arguments<T>& a, unsigned stream, unsigned row)
      : head(Count{stream} * a.heads + row % a.heads), position(row / a.heads) {}

  template <class T>
  __device__ Count index(const Arguments<T>& a) const {
    return head * a.seq_q + position;
  }
  /// Row of Oacc.
  template <class T>
  __device__ Count part(const Arguments<T>& a, unsigned split) const {
    return (head * a.splits + split) * a.seq_q + position;
  }
};

/// Lets the kernel that comes next in the stream start, though it must wait for this one's results.
__device__ inline void release_next_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits for the results of the kernel before this one in the stream, where it was released early.
__device__ inline void wait_for_last_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}

/// What stands in for a maximum over nothing in exponents.
__device__ inline float base_of(float m) { return m == -INFINITY ? 0 : m; }

}  // namespace tilemeter::kernels::split
