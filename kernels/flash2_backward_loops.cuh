// The ways of flash2_backward through its tiles: a key tile's past the row blocks, and a row block's past the key
// tiles.
#pragma once

#include "kernels/flash2_backward_block.cuh"

namespace tilemeter::kernels::flash2_backward_steps {

/// Whether the kernel for dK and dV adds to dQ, or leaves it to another.
enum class QueryGradient { added, elsewhere };

/// A key tile's way past the row blocks that visit it: dK and dV stay in registers, dQ is added to memory.
template <class S, QueryGradient dq, class Counters>
struct KeyStep {
  using T = typename S::T;
  using KeySums = typename S::KeyPart::Sums;

  const Flash2BackwardArguments<T>& a;
  Tiles<S> tiles;
  const Place<T> place;
  Counters& counters;
  int key_tile;
  int turn;  ///< of all visits of the block

  __device__ Count key_begin() const { return Count{key_tile} * S::block_k; }

  __device__ void run() {
    const Range blocks = visiting_row_blocks(a.visible, key_tile, a.row_blocks, S::block_q, S::block_k);
    const int first = static_cast<int>(blocks.first), last = static_cast<int>(blocks.last);
    if (first < last) {
      load_keys<S>(tiles.k(), tiles.v(), place, key_tile, counters);
      load_queries<S>(tiles, turn % 2, a, place.stream(), first, counters);
      arrive(tiles, turn % 2);
    }
    KeySums dk, dv;
    clear(dk);
    clear(dv);
    for (int row_block = first; row_block < last; ++row_block, ++turn) {
      visit(dk, dv, row_block, last);
      counters.tile();
    }
    store_key_gradients<S>(tiles, a, place.stream(), key_begin(), dk, dv, counters);
  }

  /// P and dS have two stages, as Q and dO have: who writes them finds that all warps have read those of the last visit
  /// but one, so that one barrier a visit will do.
  __device__ void visit(KeySums& dk, KeySums& dv, int row_block, int last) {
    const Count row_begin = Count{row_block} * S::block_q;
    const int stage = turn % 2;
    tiles.forget();
    tiles.full(stage).wait(turn / 2 % 2);
    put_weights(row_begin, stage);
    __syncthreads();
    if (row_block + 1 < last) {
      load_queries<S>(tiles, stage ^ 1, a, place.stream(), row_block + 1, counters);
      arrive(tiles, stage ^ 1);
    }
    if constexpr (dq == QueryGradient::added) {
      add_all_gradients(dk, dv, row_begin, stage);
    } else {
      add_key_gradients<S>(dv, tiles.p(stage), tiles.d_o(stage));
      add_key_gradients<S>(dk, tiles.ds(stage), tiles.q(stage));
    }
  }

  __device__ void add_all_gradients(KeySums& dk, KeySums& dv, Count row_begin, int stage) {
    with_query_gradient<0>(row_begin, stage,
                           [&](auto between) { add_key_gradients<S>(dv, tiles.p(stage), tiles.d_o(stage), between); });
    const auto add_dk = [&](auto between) { add_key_gradients<S>(dk, tiles.ds(stage), tiles.q(stage), between); };
    if constexpr (S::query_parts == 2) {
      with_query_gradient<1>(row_begin, stage, add_dk);
    } else {
      add_dk(Nothing());
    }
  }

  /// A part of dQ. Its additions go out between those of another product: all at once they would hold up the reads of
  /// operands.
  template <int part, class Product>
  __device__ void with_query_gradient(Count row_begin, int stage, Product product) {
    constexpr int additions = LanePieces<S>::number;
    static_assert(2 * additions <= S::block_q / 16 * S::KeyPart::pairs);
    typename S::QueryPart::Sums sums;
    clear(sums);
    add_query_gradient<S>(sums, tiles.ds(stage), tiles.k(), part);
    float* to = place.added_dq(key_tile, row_begin * S::head_dim + part * S::head_dim / S::query_parts);
    QueryGradientToMemory<S, Counters> out(to, a.seq_q - row_begin, sums, counters);
    product([&](int i) {
      if (i % 2 == 0 && i / 2 < additions) out.add(i / 2);
    });
  }

  /// P and dS of the visit, in shared memory.
  __device__ void put_weights(Count row_begin, int stage) {
    using Part = typename S::ScorePart;
    typename Part::Sums sums;
    RoundedSums<Part> p, ds;
    multiply_rows<S>(sums, tiles.q(stage), tiles.k());
    mask<S>(sums, a.visible, row_begin, key_begin());
    probabilities<S>(sums, tiles.lse(stage), a.scale * log2_of_e);
    round_sums<T, Part>(p, sums);
    put<Part>(tiles.p(stage), p);
    multiply_rows<S>(sums, tiles.d_o(stage), tiles.v());
    score_gradients<S>(sums, p, tiles.d(stage));
    round_sums<T, Part>(ds, sums);
    put<Part>(tiles.ds(stage), ds);
  }
};

/// A row block's way past the key tiles that it visits: dQ stays in registers.
template <class S, class Counters>
struct RowStep {
  using T = typename S::T;
  using QuerySums = typename S::QueryPart::Sums;

  const Flash2BackwardArguments<T>& a;
  RowTiles<S> tiles;
  const Place<T> place;
  Counters& counters;
  int row_block;

  __device__ Count row_begin() const { return Count{row_block} * S::block_q; }

  __device__ void run() {
    const Range visited = visited_tiles(a.visible, row_begin(), S::block_q, S::block_k);
    const int first = static_cast<int>(visited.first), last = static_cast<int>(visited.last);
    if (first < last) {
      load_queries<S>(tiles, 0, a, place.stream(), row_block, counters);
      load_keys<S>(tiles.k(0), tiles.v(0), place, first, counters);
      arrive(tiles, 0);
    }
    QuerySums sums;
    clear(sums);
    for (int key_tile = first; key_tile < last; ++key_tile) visit(sums, key_tile, key_tile - first, last);
    store(sums);
  }

  __device__ void visit(QuerySums& sums, int key_tile, int turn, int last) {
    const int stage = turn % 2;
    tiles.forget();
    tiles.full(stage).wait(turn / 2 % 2);
    put_weights(Count{key_tile} * S::block_k, stage);
    __syncthreads();
    if (key_tile + 1 < last) {
      load_keys<S>(tiles.k(stage ^ 1), tiles.v(stage ^ 1), place, key_tile + 1, counters);
      arrive(tiles, stage ^ 1);
    }
    add_query_gradient<S>(sums, tiles.ds(stage), tiles.k(stage));
  }

  /// dS of the visit, in shared memory.
  __device__ void put_weights(Count key_begin, int stage) {
    using Part = typename S::ScorePart;
    typename Part::Sums sums;
    RoundedSums<Part> p, ds;
    multiply_rows<S>(sums, tiles.q(0), tiles.k(stage));
    mask<S>(sums, a.visible, row_begin(), key_begin);
    probabilities<S>(sums, tiles.lse(0), a.scale * log2_of_e);
    round_sums<T, Part>(p, sums);
    multiply_rows<S>(sums, tiles.d_o(0), tiles.v(stage));
    score_gradients<S>(sums, p, tiles.d(0));
    round_sums<T, Part>(ds, sums);
    put<Part>(tiles.ds(stage), ds);
  }

  /// dQ leaves through the memory of Q.
  __device__ void store(const QuerySums& sums) {
    using Part = typename S::QueryPart;
    RoundedSums<Part> rounded;
    round_sums<T, Part>(rounded, sums, a.scale);
    __syncthreads();
    put<Part>(tiles.q(0), rounded);
    __syncthreads();
    const Count to = (place.stream() * a.seq_q + row_begin()) * S::head_dim;
    store_rows<S>(a.dq + to, tiles.q(0), a.seq_q - row_begin(), TensorName::dQ, counters);
  }
};

}  // namespace tilemeter::kernels::flash2_backward_steps
