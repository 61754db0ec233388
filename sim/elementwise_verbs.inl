// Verbs of softmax passes, weights and elementwise chains: compute if the tiles hold numbers, then report one op.
#pragma once

#include "sim/block.hpp"
#include "sim/cost.hpp"

namespace tilemeter {

template <class P>
void Block<P>::row_maximum(RegisterTile<P>& m, const RegisterTile<P>& x) {
  if constexpr (real) numerics::row_maximum<typename P::Scalar>(m.numbers(), x.numbers());
  report({.phase = Phase::softmax,
          .scalars = scalars_of(x.shape, one_maximum),
          .reads = {m.id, x.id, no_tile, no_tile},
          .writes = {m.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::exponentiate(RegisterTile<P>& x) {
  if constexpr (real) {
    using Scalar = typename P::Scalar;
    numerics::exponentiate<Scalar>(x.numbers(), P::Storage::Zero(x.shape.rows, 1));
  }
  report({.phase = Phase::softmax,
          .exp = {.scores = x.shape.elements().value()},
          .scalars = scalars_of(x.shape, exponent_cost),
          .reads = {x.id, no_tile, no_tile, no_tile},
          .writes = {x.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::add_row_sums(RegisterTile<P>& l, const RegisterTile<P>& x) {
  if constexpr (real) numerics::add_row_sums<typename P::Scalar>(l.numbers(), x.numbers());
  report({.phase = Phase::softmax,
          .scalars = scalars_of(x.shape, one_fma),
          .reads = {l.id, x.id, no_tile, no_tile},
          .writes = {l.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::online_normaliser(RegisterTile<P>& m, RegisterTile<P>& l, const RegisterTile<P>& x, RowStart start) {
  if constexpr (real) numerics::online_normaliser<typename P::Scalar>(m.numbers(), l.numbers(), x.numbers());
  const Count elements = x.shape.elements().value();
  report({.phase = Phase::softmax,
          .exp = {.scores = elements, .rescale = elements - (start == RowStart::here ? x.shape.rows : 0)},
          .scalars = scalars_of(x.shape, normaliser_cost),
          .reads = {m.id, l.id, x.id, no_tile},
          .writes = {m.id, l.id, no_tile, no_tile}});
}

template <class P>
void Block<P>::dequantise(SharedTile<P>& w, const SharedTile<P>& scales, Count group, DType operand) {
  if constexpr (real) {
    numerics::scale_groups<typename P::Scalar>(w.numbers(), scales.numbers(), group);
    numerics::round_all<typename P::Scalar>(operand, w.numbers());
  }
  report({.phase = Phase::transform,
          .scalars = scalars_of(w.shape, dequantise_cost),
          .reads = {w.id, scales.id, no_tile, no_tile},
          .writes = {w.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::dequantise(SharedTile<P>& w, double scale, DType operand) {
  if constexpr (real) {
    numerics::scale<typename P::Scalar>(w.numbers(), static_cast<typename P::Scalar>(scale));
    numerics::round_all<typename P::Scalar>(operand, w.numbers());
  }
  report({.phase = Phase::transform,
          .scalars = scalars_of(w.shape, dequantise_cost),
          .reads = {w.id, no_tile, no_tile, no_tile},
          .writes = {w.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::apply(ChainStep step, RegisterTile<P>& y) {
  if constexpr (real) numerics::apply<typename P::Scalar>(step, y.numbers(), y.numbers());
  report({.phase = Phase::transform,
          .scalars = scalars_of(y.shape, one_fma),
          .reads = {y.id, no_tile, no_tile, no_tile},
          .writes = {y.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::apply(ChainStep step, RegisterTile<P>& y, const RegisterTile<P>& side) {
  if constexpr (real) numerics::apply<typename P::Scalar>(step, y.numbers(), side.numbers());
  report({.phase = Phase::transform,
          .scalars = scalars_of(y.shape, one_fma),
          .reads = {y.id, side.id, no_tile, no_tile},
          .writes = {y.id, no_tile, no_tile, no_tile}});
}

}  // namespace tilemeter
