// What the FlashAttention algorithms hold on chip, and the step that they share.
#pragma once

#include <limits>

#include "sim/operands.hpp"

namespace tilemeter {

/// The order of the key tiles, for a mistake made on purpose.
constexpr Walk walk_of(Mistake mistake) {
  return mistake == Mistake::reversed_unguarded ? Walk::descending : Walk::ascending;
}

/// What the online softmax does about its state.
constexpr SoftmaxRule rule_of(Mistake mistake) {
  if (mistake == Mistake::none) return SoftmaxRule::exact;
  return mistake == Mistake::no_rescale ? SoftmaxRule::unscaled : SoftmaxRule::unguarded;
}

/// The LSE that options declare for a row without keys.
inline double empty_lse_of(const Options& options) {
  const double infinity = std::numeric_limits<double>::infinity();
  return options.empty_lse == EmptyLse::plus_infinity ? infinity : -infinity;
}

/// Sizes of the tiles: query rows and keys of a full tile, clipped to the problem.
struct FlashShape {
  Count rows = 0;
  Count keys = 0;
};

/// The tiles of one block of FlashAttention: operands in shared memory, scores and state in registers. P takes the
/// place of S.
template <class P>
struct FlashTiles {
  SharedTile<P> q;
  Ring<P> k;
  Ring<P> v;
  RegisterTile<P> o;
  RegisterTile<P> s;
  RegisterTile<P> l;
  RegisterTile<P> m;
  RowFactors<P> factors;

  FlashTiles(Block<P>& block, const Problem& problem, Count stages, FlashShape shape, DType accumulator)
      : q(block.shared("Q", {shape.rows, problem.head_dim}, problem.dtype)),
        k(block.ring("K", stages, {shape.keys, problem.head_dim}, problem.dtype)),
        v(block.ring("V", stages, {shape.keys, problem.head_dim_v}, problem.dtype)),
        o(block.registers("O", {shape.rows, problem.head_dim_v}, accumulator)),
        s(block.registers("S", {shape.rows, shape.keys}, accumulator)),
        l(block.registers("l", {shape.rows, 1}, accumulator)),
        m(block.registers("m", {shape.rows, 1}, accumulator)),
        factors(block.row_factors(shape.rows)) {}

  /// The state of `rows` rows that have seen no key.
  void clear(Block<P>& block, Count rows) {
    block.fill(o, {rows, o.allocated.cols}, 0);
    block.fill(l, {rows, 1}, 0);
    block.fill(m, {rows, 1}, -std::numeric_limits<double>::infinity());
  }
};

/// S = scale q k^T with the mask applied, for the query rows from `row` and the keys from `key` on.
template <class P>
void masked_scores(Block<P>& block, FlashTiles<P>& tiles, const SharedTile<P>& k, const Problem& problem,
                   const Visibility& visibility, Count row, Count key) {
  block.scores(tiles.s, tiles.q, k);
  block.scale(tiles.s, score_scale(problem));
  block.mask(tiles.s, visibility, row, key);
}

}  // namespace tilemeter
