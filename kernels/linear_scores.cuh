// Linear attention through scores in memory: S = Q K^T, then O = S V. One operand of each product stays in shared
// memory, so that everything is read once.
#pragma once

#include "kernels/linear_tiles.cuh"

namespace tilemeter::kernels::linear {

template <class S>
using ScoreSums = Accumulator[S::chunk / 8];

/// S = Q K^T for the warp's rows and a chunk of keys.
template <class S>
__device__ void scores(ScoreSums<S>& s, const typename S::Chunk& q, const typename S::Chunk& k) {
  const unsigned q_start = S::Chunk::moved(q.lane_of_rows(), S::first_row(), 0), k_start = k.lane_of_columns();
  for (Accumulator& sums : s) {
    for (float& sum : sums) sum = 0;
  }
#pragma unroll
  for (int step = 0; step < S::steps; ++step) {
    Fragment a;
    load_matrices(a, S::Chunk::moved(q_start, 0, 2 * step));
#pragma unroll
    for (int key = 0; key < S::chunk; key += 16) {
      Fragment b;
      load_matrices(b, S::Chunk::moved(k_start, key, 2 * step));
      multiply_add<typename S::Element>(s[key / 8], a, b[0], b[1]);
      multiply_add<typename S::Element>(s[key / 8 + 1], a, b[2], b[3]);
    }
  }
}

/// S = 0 where a row does not see a key; `row` and `key` are the first of the warp's.
template <class S>
__device__ void clear_hidden(ScoreSums<S>& s, const Visibility& visible, Count row, Count key) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const Range seen = visible_keys(visible, row + S::lane() / 4 + 8 * half, key, S::chunk);
#pragma unroll
    for (int i = 0; i < S::chunk / 4; ++i) {
      const int column = i / 2 * 8 + S::lane() % 4 * 2 + i % 2;
      if (column < seen.first || column >= seen.last) s[i / 2][2 * half + i % 2] = 0;
    }
  }
}

/// O = O + S V for a chunk of keys, S as the A operands `a` of its steps.
template <class S>
__device__ void accumulate(Output<S>& o, const Fragment (&a)[S::chunk / 16], const typename S::Chunk& v) {
  const unsigned v_start = S::Chunk::moved(v.lane_of_rows(), 0, S::own_half() * S::half / chunk_elements);
#pragma unroll
  for (int key = 0; key < S::chunk; key += 16) {
#pragma unroll
    for (int column = 0; column < S::half; column += 16) {
      Fragment b;
      load_matrices_transposed(b, S::Chunk::moved(v_start, key, column / chunk_elements));
      multiply_add<typename S::Element>(o[column / 8], a[key / 16], b[0], b[1]);
      multiply_add<typename S::Element>(o[column / 8 + 1], a[key / 16], b[2], b[3]);
    }
  }
}

/// Chunks of keys, at least one.
template <class S>
__host__ __device__ Count key_chunks(Count seq_k) {
  return seq_k > S::chunk ? (seq_k + S::chunk - 1) / S::chunk : 1;
}

/// Shared memory of the two kernels: K or V of a stream, and what passes by it.
template <class S>
struct ScoreMemory {
  static constexpr int stages = 2;  ///< of Q
  static constexpr int panel_stages = 4;
  using Panel = SwizzledTile<S::chunk, S::chunk>;  ///< S of a chunk of rows and one of keys
  using WarpPanel = SwizzledTile<16, S::chunk>;
  static constexpr int scores_ring = stages * S::Chunk::size + S::warps * WarpPanel::size;
  static constexpr int output_ring = panel_stages * Panel::size + S::outputs;

  static int scores(Count seq_k) { return scores_ring + static_cast<int>(key_chunks<S>(seq_k)) * S::Chunk::size; }
  static int output(Count seq_k) { return output_ring + static_cast<int>(key_chunks<S>(seq_k)) * S::Chunk::size; }
};

/// Sixteen rows and a chunk of columns of the scores to memory. Rows of S that are not whole chunks of 16 bytes go
/// element by element.
template <class S, class Counters>
__device__ void store_scores(const ScoreSums<S>& s, unsigned to, const Arguments<typename S::Element>& a, Count row,
                             Count key, Counters& counters) {
  using T = typename S::Element;
  const typename ScoreMemory<S>::WarpPanel tile{to};
  put_sums<T>(tile, 0, 0, s);
  __syncwarp();
  constexpr int row_chunks = S::chunk / chunk_elements;
#pragma unroll
  for (int i = S::lane(); i < 16 * row_chunks; i += S::warp) {
    const uint4 chunk = load_chunk(tile.at(i / row_chunks, i % row_chunks));
    const Count at_row = row + i / row_chunks, at_key = key + i % row_chunks * chunk_elements;
    if (at_row >= a.seq_q) continue;
    T* const place = a.s + (Count{blockIdx.x} * a.seq_q + at_row) * a.seq_k + at_key;
    if (a.seq_k % chunk_elements == 0) {
      if (at_key < a.seq_k) {
        __stcs(reinterpret_cast<uint4*>(place), chunk);
        counters.write(TensorName::S, chunk_elements);
      }
      continue;
    }
    const auto* elements = reinterpret_cast<const T*>(&chunk);
#pragma unroll
    for (int j = 0; j < chunk_elements; ++j) {
      if (at_key + j < a.seq_k) {
        place[j] = elements[j];
        counters.write(TensorName::S, 1);
      }
    }
  }
  __syncwarp();
}

/// S = Q K^T of a stream, zero where the mask hides.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    linear_attention_scores(const __grid_constant__ Arguments<typename S::Element> a,
                            typename Counters::Records records) {
  using Memory = ScoreMemory<S>;
  extern __shared__ uint4 shared[];
  const unsigned q_slots = shared_address(shared), warp_panels = q_slots + Memory::stages * S::Chunk::size;
  const unsigned k_chunks = q_slots + Memory::scores_ring;
  const unsigned own_panel = warp_panels + S::own_warp() * Memory::WarpPanel::size;
  const StreamOf<typename S::Element> at(a, S::head_dim);
  const int chunks = static_cast<int>(key_chunks<S>(a.seq_k));
  Counters counters;
#pragma unroll 1
  for (int i = 0; i < chunks; ++i) {
    load_sequence_chunk<S>(k_chunks + i * S::Chunk::size, at.k, a.seq_k, i, TensorName::K, counters);
  }
  stream_through<Memory::stages>((a.seq_q + S::chunk - 1) / S::chunk,
                                 [&](Count piece, int slot) {
                                   load_sequence_chunk<S>(q_slots + slot * S::Chunk::size, at.q, a.seq_q, piece,
                                                          TensorName::Q, counters);
                                 },
                                 [&](Count piece, int slot) {
                                   const Count row = piece * S::chunk + S::first_row();
#pragma unroll 1
                                   for (int i = S::own_half(); i < chunks; i += 2) {
                                     ScoreSums<S> s;
                                     scores<S>(s, {q_slots + slot * S::Chunk::size}, {k_chunks + i * S::Chunk::size});
                                     clear_hidden<S>(s, a.visible, row, Count{i} * S::chunk);
                                     store_scores<S>(s, own_panel, a, row, Count{i} * S::chunk, counters);
                                   }
                                 });
  counters.flush(records);
}

/// Loads the scores of a chunk of rows and one of keys; what is not there becomes zero.
template <class S, class Counters>
__device__ void load_panel(unsigned to, const Arguments<typename S::Element>& a, Count row, Count key,
                           Counters& counters) {
  using T = typename S::Element;
  const T* from = a.s + (Count{blockIdx.x} * a.seq_q + row) * a.seq_k + key;
  for_each_chunk<S::threads>(typename ScoreMemory<S>::Panel{to}, [&](int down, int chunk, unsigned address) {
    const int right = chunk * chunk_elements;
    const T* place = from + down * a.seq_k + right;
    if (a.seq_k % chunk_elements == 0 && row + down < a.seq_q && key + right < a.seq_k) {
      copy_async(address, place);
      counters.read(TensorName::S, chunk_elements);
      return;
    }
    clear_chunk(address);
    if (a.seq_k % chunk_elements == 0 || row + down >= a.seq_q) return;
#pragma unroll 1
    for (int j = 0; j < chunk_elements; ++j) {
      if (key + right + j < a.seq_k) {
        const auto bits = reinterpret_cast<const unsigned short*>(place)[j];
        counters.read(TensorName::S, 1);
        asm volatile("st.shared.u16 [%0], %1;" : : "r"(address + 2 * j), "h"(bits) : "memory");
      }
    }
  });
}

/// O = S V of a stream.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    linear_attention_output(const __grid_constant__ Arguments<typename S::Element> a,
                            typename Counters::Records records) {
  using Memory = ScoreMemory<S>;
  extern __shared__ uint4 shared[];
  const unsigned panels = shared_address(shared), outputs = panels + Memory::panel_stages * Memory::Panel::size;
  const unsigned v_chunks = panels + Memory::output_ring;
  const StreamOf<typename S::Element> at(a, S::head_dim);
  const Count chunks = key_chunks<S>(a.seq_k);
  Counters counters;
#pragma unroll 1
  for (int i = 0; i < chunks; ++i) {
    load_sequence_chunk<S>(v_chunks + i * S::Chunk::size, at.v, a.seq_k, i, TensorName::V, counters);
  }
  Output<S> o = {};
  stream_through<Memory::panel_stages>((a.seq_q + S::chunk - 1) / S::chunk * chunks,
                                       [&](Count piece, int slot) {
                                         const Count row = piece / chunks * S::chunk, key = piece % chunks * S::chunk;
                                         load_panel<S>(panels + slot * Memory::Panel::size, a, row, key, counters);
                                       },
                                       [&](Count piece, int slot) {
                                         const typename Memory::Panel panel{panels + slot * Memory::Panel::size};
                                         const unsigned start =
                                             Memory::Panel::moved(panel.lane_of_rows(), S::first_row(), 0);
                                         const auto key_chunk = static_cast<int>(piece % chunks);
                                         Fragment s[S::chunk / 16];
#pragma unroll
                                         for (int i = 0; i < S::chunk / 16; ++i)
                                           load_matrices(s[i], Memory::Panel::moved(start, 0, 2 * i));
                                         accumulate<S>(o, s, {v_chunks + key_chunk * S::Chunk::size});
                                         if (key_chunk < chunks - 1) return;
                                         store_output<S>(o, outputs, at.o, a.seq_q, piece / chunks, counters);
                                         for (Accumulator& sums : o) {
                                           for (float& sum : sums) sum = 0;
                                         }
                                       });
  counters.flush(records);
}

}  // namespace tilemeter::kernels::linear
