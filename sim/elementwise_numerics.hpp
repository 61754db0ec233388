// The arithmetic of softmax passes, weights and elementwise chains on Real tiles.
#pragma once

#include "model/chain.hpp"
#include "sim/numerics.hpp"

namespace tilemeter::numerics {

/// m[r] = max(m[r], maximum of row r of x).
template <class Scalar>
void row_maximum(Out<Scalar> m, const In<Scalar>& x);

/// x = exp(x - shift[r]), without a guard: this may overflow.
template <class Scalar>
void exponentiate(Out<Scalar> x, const In<Scalar>& shift);

/// l[r] += sum of row r of x.
template <class Scalar>
void add_row_sums(Out<Scalar> l, const In<Scalar>& x);

/// The online normaliser over the elements of every row in turn: m_new = max(m, x), l = l e^(m - m_new) + e^(x -
/// m_new).
template <class Scalar>
void online_normaliser(Out<Scalar> m, Out<Scalar> l, const In<Scalar>& x);

/// w[r, c] *= scales[r, c / group].
template <class Scalar>
void scale_groups(Out<Scalar> w, const In<Scalar>& scales, Count group);

/// y = step(y), with `side` of y's shape for ChainStep::side.
template <class Scalar>
void apply(ChainStep step, Out<Scalar> y, const In<Scalar>& side);

}  // namespace tilemeter::numerics
