#include "sim/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/rounding.hpp"

namespace tilemeter::numerics {
namespace {

template <class Scalar>
constexpr Scalar minus_infinity = -std::numeric_limits<Scalar>::infinity();

constexpr double keep_probability = 0.9;

/// Whether dropout keeps the score of a (row, key) pair of a stream: a fixed pseudo-random choice, 9 of 10.
bool dropout_keeps(Count stream, Count row, Count key) {
  auto mix = static_cast<std::uint64_t>(stream) * 0x9E3779B97F4A7C15U ^
             static_cast<std::uint64_t>(row) * 0xC2B2AE3D27D4EB4FU ^
             static_cast<std::uint64_t>(key) * 0x165667B19E3779F9U;
  mix ^= mix >> 31;
  mix *= 0x7FB5D329728EA185U;
  mix ^= mix >> 27;
  return mix % 10 != 0;
}

/// The value to subtract before exponentials: the maximum, or 0 for a row that has seen no key, so that
/// -inf - (-inf) never happens.
template <class Scalar>
Scalar shift_of(Scalar maximum) {
  return maximum == minus_infinity<Scalar> ? Scalar(0) : maximum;
}

/// row = exp(row - shift), exactly 0 where row is -inf. Returns the sum.
template <class Row, class Scalar>
Scalar exponentiate(Row row, Scalar shift) {
  row = (row.array() == minus_infinity<Scalar>).select(Scalar(0), (row.array() - shift).exp()).matrix();
  return row.sum();
}

/// The same without looking: -inf - (-inf) is NaN.
template <class Row, class Scalar>
Scalar exponentiate_all(Row row, Scalar shift) {
  row = row.unaryExpr([shift](Scalar score) { return std::exp(score - shift); });
  return row.sum();
}

/// Maximum of a row, NaN if it holds one; -inf for an empty one.
template <class Row>
auto maximum_of(const Row& row) {
  using Scalar = typename Row::Scalar;
  return row.size() == 0 ? minus_infinity<Scalar> : row.template maxCoeff<Eigen::PropagateNaN>();
}

/// Sets the pairs that stream rows from `row` on may not see to `value`. Columns are keys from `key` on.
template <class Scalar>
void overwrite_hidden(Out<Scalar> pairs, const Visibility& visibility, Count row, Count key, Scalar value) {
  const Count cols = pairs.cols();
  for (Eigen::Index r = 0; r < pairs.rows(); ++r) {
    const KeyRange keys = visibility.keys_of(row + r);
    const Count first = std::clamp<Count>(keys.first - key, 0, cols);
    const Count last = std::clamp<Count>(keys.last - key, first, cols);
    pairs.row(r).head(first).setConstant(value);
    pairs.row(r).tail(cols - last).setConstant(value);
    if (!visibility.is_arbitrary()) continue;
    for (Count c = first; c < last; ++c) {
      if (!visibility.allows(row + r, key + c)) pairs(r, c) = value;
    }
  }
}

}  // namespace

template <class Scalar>
void copy(Out<Scalar> to, const In<Scalar>& from) {
  to = from;
}

template <class Scalar>
void fill(Out<Scalar> numbers, Scalar value) {
  numbers.setConstant(value);
}

template <class Scalar>
void scale(Out<Scalar> numbers, Scalar factor) {
  numbers *= factor;
}

template <class Scalar>
void add_bias(Out<Scalar> s, const In<Scalar>& bias) {
  for (Eigen::Index r = 0; r < s.rows(); ++r) s.row(r) += bias.row(bias.rows() == 1 ? 0 : r);
}

template <class Scalar>
void add_scores(Out<Scalar> s, const In<Scalar>& q, const In<Scalar>& k) {
  s.noalias() += q * k.transpose();
}

template <class Scalar>
void accumulate(Out<Scalar> o, const In<Scalar>& p, const In<Scalar>& v) {
  o.noalias() += p * v;
}

template <class Scalar>
void accumulate_transposed(Out<Scalar> o, const In<Scalar>& p, const In<Scalar>& v) {
  o.noalias() += p.transpose() * v;
}

template <class Scalar>
void add(Out<Scalar> to, const In<Scalar>& from) {
  to += from;
}

template <class Scalar>
void round_all(DType type, Out<Scalar> numbers) {
  if (type == DType::fp64 || (type == DType::fp32 && sizeof(Scalar) == sizeof(float))) return;
  numbers = numbers.unaryExpr([type](Scalar value) { return round_to(type, value); }).eval();
}

template <class Scalar>
void mask(Out<Scalar> scores, const Visibility& visibility, Count row, Count key) {
  overwrite_hidden(scores, visibility, row, key, minus_infinity<Scalar>);
}

template <class Scalar>
void clear_hidden(Out<Scalar> numbers, const Visibility& visibility, Count row, Count key) {
  overwrite_hidden(numbers, visibility, row, key, Scalar(0));
}

template <class Scalar>
void softmax(Out<Scalar> scores) {
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    auto row = scores.row(r);
    const Scalar sum = exponentiate(row, shift_of<Scalar>(maximum_of(row)));
    if (sum != Scalar(0)) row /= sum;
  }
}

template <class Scalar>
void online_softmax(Out<Scalar> scores, Out<Scalar> m, Out<Scalar> l, Out<Scalar> rescale, Out<Scalar> carried,
                    SoftmaxRule rule) {
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    auto row = scores.row(r);
    const Scalar largest = maximum_of(row);
    const Scalar maximum = largest > m(r, 0) || std::isnan(largest) ? largest : m(r, 0);
    const Scalar shift = rule == SoftmaxRule::unguarded ? maximum : shift_of<Scalar>(maximum);
    rescale(r, 0) = rule == SoftmaxRule::unscaled ? Scalar(1) : std::exp(m(r, 0) - shift);
    carried(r, 0) = rescale(r, 0) * l(r, 0);
    l(r, 0) =
        carried(r, 0) + (rule == SoftmaxRule::unguarded ? exponentiate_all(row, shift) : exponentiate(row, shift));
    m(r, 0) = maximum;
  }
}

template <class Scalar>
void normalise(Out<Scalar> scores, const In<Scalar>& m, const In<Scalar>& l) {
  for (Eigen::Index r = 0; r < scores.rows(); ++r) exponentiate(scores.row(r), shift_of<Scalar>(m(r, 0)));
  divide_rows<Scalar>(scores, l);
}

template <class Scalar>
void chunk_softmax(Out<Scalar> scores, Out<Scalar> m, Out<Scalar> l) {
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    m(r, 0) = maximum_of(scores.row(r));
    l(r, 0) = exponentiate(scores.row(r), shift_of<Scalar>(m(r, 0)));
  }
}

template <class Scalar>
void exponentiate_rows(Out<Scalar> scores, const In<Scalar>& m) {
  for (Eigen::Index r = 0; r < scores.rows(); ++r) exponentiate(scores.row(r), shift_of<Scalar>(m(r, 0)));
}

template <class Scalar>
void combine_weights(Out<Scalar> m, const In<Scalar>& l) {
  for (Eigen::Index r = 0; r < m.rows(); ++r) {
    auto weights = m.row(r);
    exponentiate(weights, shift_of<Scalar>(maximum_of(weights)));
    const Scalar sum = weights.cwiseProduct(l.row(r)).sum();
    if (sum != Scalar(0)) weights /= sum;
  }
}

template <class Scalar>
void scale_rows(Out<Scalar> numbers, const In<Scalar>& factors) {
  numbers.array().colwise() *= factors.col(0).head(numbers.rows()).array();
}

template <class Scalar>
void divide_rows(Out<Scalar> numbers, const In<Scalar>& sums, SoftmaxRule rule) {
  for (Eigen::Index r = 0; r < numbers.rows(); ++r) {
    if (sums(r, 0) == Scalar(0) && rule != SoftmaxRule::unguarded) {
      numbers.row(r).setZero();
    } else {
      numbers.row(r) /= sums(r, 0);
    }
  }
}

template <class Scalar>
void log_sum_exp(Out<Scalar> m, const In<Scalar>& l, Scalar empty) {
  for (Eigen::Index r = 0; r < m.rows(); ++r) m(r, 0) = l(r, 0) == Scalar(0) ? empty : m(r, 0) + std::log(l(r, 0));
}

template <class Scalar>
void merge_log_sum_exp(Out<Scalar> parts, Out<Scalar> lse, Scalar empty) {
  for (Eigen::Index r = 0; r < parts.rows(); ++r) {
    auto row = parts.row(r);
    const Scalar largest = maximum_of(row);
    if (largest == minus_infinity<Scalar>) {
      row.setZero();
      lse(r, 0) = empty;
      continue;
    }
    lse(r, 0) = largest + std::log((row.array() - largest).exp().sum());
    exponentiate(row, lse(r, 0));
  }
}

template <class Scalar>
void add_weighted(Out<Scalar> o, const In<Scalar>& weights, const In<Scalar>& partial) {
  for (Eigen::Index r = 0; r < o.rows(); ++r) o.row(r) += weights(r, 0) * partial.row(r);
}

template <class Scalar>
void dropout(Out<Scalar> p, Out<Scalar> z, Count stream, Count row) {
  for (Eigen::Index r = 0; r < p.rows(); ++r) {
    for (Eigen::Index c = 0; c < p.cols(); ++c) z(r, c) = dropout_keeps(stream, row + r, c) ? Scalar(1) : Scalar(0);
  }
  p.array() *= z.array() / static_cast<Scalar>(keep_probability);
}

template <class Scalar>
void dropout_gradient(Out<Scalar> dp, const In<Scalar>& z) {
  dp.array() *= z.array() / static_cast<Scalar>(keep_probability);
}

template <class Scalar>
void probabilities(Out<Scalar> scores, const In<Scalar>& lse) {
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    if (std::isinf(lse(r, 0))) {
      scores.row(r).setZero();
    } else {
      exponentiate(scores.row(r), lse(r, 0));
    }
  }
}

template <class Scalar>
void row_products(Out<Scalar> sums, const In<Scalar>& a, const In<Scalar>& b) {
  sums.col(0) = a.cwiseProduct(b).rowwise().sum();
}

template <class Scalar>
void softmax_gradient(Out<Scalar> dp, const In<Scalar>& p, const In<Scalar>& sums) {
  for (Eigen::Index r = 0; r < dp.rows(); ++r) dp.row(r).array() = p.row(r).array() * (dp.row(r).array() - sums(r, 0));
}

void reference_softmax(Out<double> scores, Out<double> lse, double empty) {
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    const double shift = shift_of<double>(maximum_of(scores.row(r)));
    const double sum = exponentiate(scores.row(r), shift);
    lse(r, 0) = sum == 0 ? empty : shift + std::log(sum);
    if (sum != 0) scores.row(r) /= sum;
  }
}

#define TILEMETER_FOR_SCALAR(Scalar)                                                                                  \
  template void copy<Scalar>(Out<Scalar>, const In<Scalar>&);                                                         \
  template void fill<Scalar>(Out<Scalar>, Scalar);                                                                    \
  template void scale<Scalar>(Out<Scalar>, Scalar);                                                                   \
  template void add_bias<Scalar>(Out<Scalar>, const In<Scalar>&);                                                     \
  template void add_scores<Scalar>(Out<Scalar>, const In<Scalar>&, const In<Scalar>&);                                \
  template void accumulate<Scalar>(Out<Scalar>, const In<Scalar>&, const In<Scalar>&);                                \
  template void accumulate_transposed<Scalar>(Out<Scalar>, const In<Scalar>&, const In<Scalar>&);                     \
  template void add<Scalar>(Out<Scalar>, const In<Scalar>&);                                                          \
  template void round_all<Scalar>(DType, Out<Scalar>);                                                                \
  template void mask<Scalar>(Out<Scalar>, const Visibility&, Count, Count);                                           \
  template void softmax<Scalar>(Out<Scalar>);                                                                         \
  template void online_softmax<Scalar>(Out<Scalar>, Out<Scalar>, Out<Scalar>, Out<Scalar>, Out<Scalar>, SoftmaxRule); \
  template void normalise<Scalar>(Out<Scalar>, const In<Scalar>&, const In<Scalar>&);                                 \
  template void scale_rows<Scalar>(Out<Scalar>, const In<Scalar>&);                                                   \
  template void divide_rows<Scalar>(Out<Scalar>, const In<Scalar>&, SoftmaxRule);                                     \
  template void log_sum_exp<Scalar>(Out<Scalar>, const In<Scalar>&, Scalar);                                          \
  template void merge_log_sum_exp<Scalar>(Out<Scalar>, Out<Scalar>, Scalar);                                          \
  template void add_weighted<Scalar>(Out<Scalar>, const In<Scalar>&, const In<Scalar>&);                              \
  template void dropout<Scalar>(Out<Scalar>, Out<Scalar>, Count, Count);                                              \
  template void clear_hidden<Scalar>(Out<Scalar>, const Visibility&, Count, Count);                                   \
  template void dropout_gradient<Scalar>(Out<Scalar>, const In<Scalar>&);                                             \
  template void probabilities<Scalar>(Out<Scalar>, const In<Scalar>&);                                                \
  template void row_products<Scalar>(Out<Scalar>, const In<Scalar>&, const In<Scalar>&);                              \
  template void softmax_gradient<Scalar>(Out<Scalar>, const In<Scalar>&, const In<Scalar>&);                          \
  template void chunk_softmax<Scalar>(Out<Scalar>, Out<Scalar>, Out<Scalar>);                                         \
  template void exponentiate_rows<Scalar>(Out<Scalar>, const In<Scalar>&);                                            \
  template void combine_weights<Scalar>(Out<Scalar>, const In<Scalar>&);
TILEMETER_FOR_SCALAR(float)
TILEMETER_FOR_SCALAR(double)
#undef TILEMETER_FOR_SCALAR

}  // namespace tilemeter::numerics
