// The arithmetic verbs of Block: compute if the tiles hold numbers, then report one op.
#pragma once

#include "sim/block.hpp"
#include "sim/cost.hpp"

namespace tilemeter {

template <class P>
template <Space S>
void Block<P>::fill(Tile<P, S>& tile, Shape shape, double value) {
  tile.resize(shape);
  if constexpr (real) numerics::fill<typename P::Scalar>(tile.numbers(), static_cast<typename P::Scalar>(value));
  report({.phase = Phase::transform, .writes = {tile.id, no_tile, no_tile, no_tile}});
}

template <class P>
template <Space A, Space B>
void Block<P>::scores(RegisterTile<P>& s, const Tile<P, A>& q, const Tile<P, B>& k) {
  s.resize({q.shape.rows, k.shape.rows});
  if constexpr (real) numerics::fill<typename P::Scalar>(s.numbers(), 0);
  add_scores(s, q, k);
}

template <class P>
template <Space A, Space B>
void Block<P>::add_scores(RegisterTile<P>& s, const Tile<P, A>& q, const Tile<P, B>& k) {
  if constexpr (real) numerics::add_scores<typename P::Scalar>(s.numbers(), q.numbers(), k.numbers());
  report({.phase = Phase::scores,
          .unit = Unit::tensor,
          .matmul_flops = Flops(2) * s.shape.elements().value() * q.shape.cols,
          .product = {.m = s.shape.rows, .n = s.shape.cols, .k = q.shape.cols, .a = A, .b = B, .type = q.dtype},
          .reads = {q.id, k.id, no_tile, no_tile},
          .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
template <Space A>
void Block<P>::accumulate_arriving(Phase phase, RegisterTile<P>& o, Tile<P, A>& p, const View<P>& values,
                                   DType operand) {
  if constexpr (real) {
    numerics::round_all<typename P::Scalar>(operand, p.numbers());
    numerics::accumulate<typename P::Scalar>(o.numbers(), p.numbers(), values.numbers());
  }
  const Elements elements = values.shape.elements();
  report({.phase = phase,
          .unit = Unit::memory,
          .tensor = values.tensor->name,
          .traffic = {.read = elements, .read_bytes = bytes_of(elements, values.tensor->dtype)},
          .matrix = static_cast<Count>(values.stream),
          .area = {.row = values.row, .col = values.col, .rows = values.shape.rows, .cols = values.shape.cols}});
  report({.phase = Phase::accumulate,
          .unit = Unit::tensor,
          .matmul_flops = Flops(2) * o.shape.elements().value() * p.shape.cols,
          .product =
              {.m = o.shape.rows, .n = o.shape.cols, .k = p.shape.cols, .a = A, .b = Space::global, .type = operand},
          .reads = {o.id, p.id, no_tile, no_tile},
          .writes = {o.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::report_row_maxima(TileId scores, TileId before, TileId maxima, Shape shape) {
  report({.phase = Phase::softmax,
          .scalars = scalars_of(shape, one_maximum),
          .reads = {scores, before, no_tile, no_tile},
          .writes = {maxima, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::scale(RegisterTile<P>& s, double factor) {
  if constexpr (real) numerics::scale<typename P::Scalar>(s.numbers(), static_cast<typename P::Scalar>(factor));
  report({.phase = Phase::transform,
          .reads = {s.id, no_tile, no_tile, no_tile},
          .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::mask(RegisterTile<P>& s, const Visibility& visibility, Count row, Count key) {
  if constexpr (real) numerics::mask<typename P::Scalar>(s.numbers(), visibility, row, key);
  report(
      {.phase = Phase::mask, .reads = {s.id, no_tile, no_tile, no_tile}, .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::clear_hidden(RegisterTile<P>& s, const Visibility& visibility, Count row, Count key) {
  if constexpr (real) numerics::clear_hidden<typename P::Scalar>(s.numbers(), visibility, row, key);
  report(
      {.phase = Phase::mask, .reads = {s.id, no_tile, no_tile, no_tile}, .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::softmax(RegisterTile<P>& s) {
  if constexpr (real) numerics::softmax<typename P::Scalar>(s.numbers());
  report_row_maxima(s.id, no_tile, s.id, s.shape);
  report({.phase = Phase::softmax,
          .exp = {.scores = s.shape.elements().value()},
          .scalars = scalars_of(s.shape, whole_softmax_cost),
          .reads = {s.id, no_tile, no_tile, no_tile},
          .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::online_softmax(RegisterTile<P>& s, RegisterTile<P>& m, RegisterTile<P>& l, RowFactors<P>& factors,
                              SoftmaxRule rule) {
  if constexpr (real) {
    numerics::online_softmax<typename P::Scalar>(s.numbers(), m.numbers(), l.numbers(), factors.rescale,
                                                 factors.carried, rule);
  }
  report_row_maxima(s.id, m.id, m.id, s.shape);
  report({.phase = Phase::softmax,
          .exp = {.scores = s.shape.elements().value(), .rescale = s.shape.rows},
          .scalars = scalars_of(s.shape, softmax_cost),
          .reads = {s.id, m.id, l.id, no_tile},
          .writes = {s.id, m.id, l.id, factors.id}});
}

template <class P>
void Block<P>::normalise(RegisterTile<P>& s, const RegisterTile<P>& m, const RegisterTile<P>& l) {
  if constexpr (real) numerics::normalise<typename P::Scalar>(s.numbers(), m.numbers(), l.numbers());
  report({.phase = Phase::softmax,
          .exp = {.scores = s.shape.elements().value()},
          .scalars = scalars_of(s.shape, normalised_exponent_cost),
          .reads = {s.id, m.id, l.id, no_tile},
          .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::chunk_softmax(RegisterTile<P>& s, RegisterTile<P>& m, RegisterTile<P>& l) {
  m.resize({s.shape.rows, 1});
  l.resize({s.shape.rows, 1});
  if constexpr (real) numerics::chunk_softmax<typename P::Scalar>(s.numbers(), m.numbers(), l.numbers());
  report_row_maxima(s.id, no_tile, m.id, s.shape);
  report({.phase = Phase::softmax,
          .exp = {.scores = s.shape.elements().value()},
          .scalars = scalars_of(s.shape, softmax_cost),
          .reads = {s.id, no_tile, no_tile, no_tile},
          .writes = {s.id, m.id, l.id, no_tile}});
}

template <class P>
void Block<P>::exponentiate(RegisterTile<P>& s, const RegisterTile<P>& m) {
  if constexpr (real) numerics::exponentiate_rows<typename P::Scalar>(s.numbers(), m.numbers());
  report({.phase = Phase::softmax,
          .exp = {.scores = s.shape.elements().value()},
          .scalars = scalars_of(s.shape, exponent_cost),
          .reads = {s.id, m.id, no_tile, no_tile},
          .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::combine_weights(RegisterTile<P>& m, const RegisterTile<P>& l) {
  if constexpr (real) numerics::combine_weights<typename P::Scalar>(m.numbers(), l.numbers());
  report({.phase = Phase::finish,
          .exp = {.combine = m.shape.elements().value()},
          .scalars = scalars_of(m.shape, normaliser_cost),
          .reads = {m.id, l.id, no_tile, no_tile},
          .writes = {m.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::combine(Copies<P>& o, const Copies<P>& m, const Copies<P>& l, Count parts) {
  const Shape shape = o[0].shape;
  if constexpr (real) {
    using Scalar = typename P::Scalar;
    typename P::Storage weights(shape.rows, parts);
    typename P::Storage sums(shape.rows, parts);
    for (Count part = 0; part < parts; ++part) {
      weights.col(part) = m[part].numbers();
      sums.col(part) = l[part].numbers();
    }
    numerics::combine_weights<Scalar>(weights, sums);
    numerics::scale_rows<Scalar>(o[0].numbers(), weights.leftCols(1));
    for (Count part = 1; part < parts; ++part) {
      numerics::add_weighted<Scalar>(o[0].numbers(), weights.middleCols(part, 1), o[part].numbers());
    }
  }
  report({.phase = Phase::finish,
          .exp = {.combine = checked::multiply(shape.rows, parts)},
          .scalars = {.fma = checked::multiply(shape.elements().value(), parts)},
          .reads = {o[0].id, m[0].id, l[0].id, no_tile},
          .writes = {o[0].id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::rescale_rows(RegisterTile<P>& o, const RowFactors<P>& factors) {
  if constexpr (real) numerics::scale_rows<typename P::Scalar>(o.numbers(), factors.rescale);
  report_row_scaling(o, factors);
}

template <class P>
void Block<P>::carry_rows(RegisterTile<P>& o, const RowFactors<P>& factors) {
  if constexpr (real) numerics::scale_rows<typename P::Scalar>(o.numbers(), factors.carried);
  report_row_scaling(o, factors);
}

template <class P>
void Block<P>::report_row_scaling(const RegisterTile<P>& o, const RowFactors<P>& factors) {
  report({.phase = Phase::rescale,
          .scalars = scalars_of(o.shape, one_fma),
          .reads = {o.id, factors.id, no_tile, no_tile},
          .writes = {o.id, no_tile, no_tile, no_tile}});
}

template <class P>
template <Space A, Space B>
void Block<P>::accumulate(RegisterTile<P>& o, Tile<P, A>& p, const Tile<P, B>& v, DType operand) {
  if constexpr (real) {
    numerics::round_all<typename P::Scalar>(operand, p.numbers());
    numerics::accumulate<typename P::Scalar>(o.numbers(), p.numbers(), v.numbers());
  }
  report({.phase = Phase::accumulate,
          .unit = Unit::tensor,
          .matmul_flops = Flops(2) * o.shape.elements().value() * p.shape.cols,
          .product = {.m = o.shape.rows, .n = o.shape.cols, .k = p.shape.cols, .a = A, .b = B, .type = operand},
          .reads = {o.id, p.id, v.id, no_tile},
          .writes = {o.id, no_tile, no_tile, no_tile}});
}

template <class P>
template <Space A, Space B>
void Block<P>::accumulate_transposed(RegisterTile<P>& o, Tile<P, A>& p, const Tile<P, B>& v, DType operand) {
  if constexpr (real) {
    numerics::round_all<typename P::Scalar>(operand, p.numbers());
    numerics::accumulate_transposed<typename P::Scalar>(o.numbers(), p.numbers(), v.numbers());
  }
  report({.phase = Phase::accumulate,
          .unit = Unit::tensor,
          .matmul_flops = Flops(2) * o.shape.elements().value() * p.shape.rows,
          .product = {.m = o.shape.rows, .n = o.shape.cols, .k = p.shape.rows, .a = A, .b = B, .type = operand},
          .reads = {o.id, p.id, v.id, no_tile},
          .writes = {o.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::divide_rows(RegisterTile<P>& o, const RegisterTile<P>& l, SoftmaxRule rule) {
  if constexpr (real) numerics::divide_rows<typename P::Scalar>(o.numbers(), l.numbers(), rule);
  report({.phase = Phase::finish,
          .scalars = scalars_of(o.shape, one_fma_converted),
          .reads = {o.id, l.id, no_tile, no_tile},
          .writes = {o.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::log_sum_exp(RegisterTile<P>& m, const RegisterTile<P>& l, double empty) {
  if constexpr (real) {
    using Scalar = typename P::Scalar;
    numerics::log_sum_exp<Scalar>(m.numbers(), l.numbers(), static_cast<Scalar>(empty));
  }
  report(
      {.phase = Phase::finish, .reads = {m.id, l.id, no_tile, no_tile}, .writes = {m.id, no_tile, no_tile, no_tile}});
}

template <class P>
template <Space S>
void Block<P>::merge_log_sum_exp(Tile<P, S>& parts, RegisterTile<P>& lse, double empty) {
  lse.resize({parts.shape.rows, 1});
  if constexpr (real) {
    using Scalar = typename P::Scalar;
    numerics::merge_log_sum_exp<Scalar>(parts.numbers(), lse.numbers(), static_cast<Scalar>(empty));
  }
  report({.phase = Phase::softmax,
          .exp = {.combine = checked::multiply(2, parts.shape.elements().value())},
          .scalars = scalars_of(parts.shape, softmax_cost),
          .reads = {parts.id, no_tile, no_tile, no_tile},
          .writes = {parts.id, lse.id, no_tile, no_tile}});
}

template <class P>
template <Space A, Space B>
void Block<P>::add_weighted(RegisterTile<P>& o, const Tile<P, A>& weights, Count part, const Tile<P, B>& partial) {
  if constexpr (real) {
    numerics::add_weighted<typename P::Scalar>(o.numbers(), weights.numbers().col(part), partial.numbers());
  }
  report({.phase = Phase::accumulate,
          .scalars = scalars_of(o.shape, one_fma),
          .reads = {o.id, weights.id, partial.id, no_tile},
          .writes = {o.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::dropout(RegisterTile<P>& p, RegisterTile<P>& z, Count stream, Count row) {
  z.resize(p.shape);
  if constexpr (real) numerics::dropout<typename P::Scalar>(p.numbers(), z.numbers(), stream, row);
  report({.phase = Phase::transform,
          .scalars = scalars_of(p.shape, dropout_cost),
          .reads = {p.id, no_tile, no_tile, no_tile},
          .writes = {p.id, z.id, no_tile, no_tile}});
}

template <class P>
void Block<P>::dropout_gradient(RegisterTile<P>& dp, const RegisterTile<P>& z) {
  if constexpr (real) numerics::dropout_gradient<typename P::Scalar>(dp.numbers(), z.numbers());
  report({.phase = Phase::transform,
          .scalars = scalars_of(dp.shape, one_fma),
          .reads = {dp.id, z.id, no_tile, no_tile},
          .writes = {dp.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::probabilities(RegisterTile<P>& s, const RegisterTile<P>& lse) {
  if constexpr (real) numerics::probabilities<typename P::Scalar>(s.numbers(), lse.numbers());
  report({.phase = Phase::softmax,
          .exp = {.scores = s.shape.elements().value()},
          .scalars = scalars_of(s.shape, exponent_cost),
          .reads = {s.id, lse.id, no_tile, no_tile},
          .writes = {s.id, no_tile, no_tile, no_tile}});
}

template <class P>
template <Space A, Space B>
void Block<P>::row_products(RegisterTile<P>& sums, const Tile<P, A>& a, const Tile<P, B>& b) {
  sums.resize({a.shape.rows, 1});
  if constexpr (real) numerics::row_products<typename P::Scalar>(sums.numbers(), a.numbers(), b.numbers());
  report({.phase = Phase::transform,
          .scalars = scalars_of(a.shape, one_fma),
          .reads = {a.id, b.id, no_tile, no_tile},
          .writes = {sums.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::softmax_gradient(RegisterTile<P>& dp, const RegisterTile<P>& p, const RegisterTile<P>& sums) {
  if constexpr (real) numerics::softmax_gradient<typename P::Scalar>(dp.numbers(), p.numbers(), sums.numbers());
  report({.phase = Phase::transform,
          .scalars = scalars_of(dp.shape, gradient_cost),
          .reads = {dp.id, p.id, sums.id, no_tile},
          .writes = {dp.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::add(RegisterTile<P>& to, const RegisterTile<P>& from) {
  if constexpr (real) numerics::add<typename P::Scalar>(to.numbers(), from.numbers());
  report({.phase = Phase::accumulate,
          .scalars = scalars_of(to.shape, one_fma),
          .reads = {to.id, from.id, no_tile, no_tile},
          .writes = {to.id, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::add_bias(RegisterTile<P>& s, const RegisterTile<P>& bias) {
  if constexpr (real) numerics::add_bias<typename P::Scalar>(s.numbers(), bias.numbers());
  report({.phase = Phase::mask,
          .scalars = scalars_of(s.shape, one_fma),
          .reads = {s.id, bias.id, no_tile, no_tile},
          .writes = {s.id, no_tile, no_tile, no_tile}});
}

}  // namespace tilemeter
