// The arithmetic of the verbs on Real tiles. Ghost tiles never get here.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "model/visibility.hpp"
#include "sim/rounding.hpp"

namespace tilemeter::numerics {

template <class Scalar>
inline constexpr Scalar minus_infinity = -std::numeric_limits<Scalar>::infinity();

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

/// Maximum of a row; -inf for an empty one.
template <class Row>
auto maximum_of(const Row& row) {
  using Scalar = typename Row::Scalar;
  return row.size() == 0 ? minus_infinity<Scalar> : row.template maxCoeff<Eigen::PropagateNaN>();
}

/// Sets the scores that rows from `row` on may not see to -inf. Columns are keys from `key` on.
template <class Scores>
void mask(Scores scores, const Visibility& visibility, Count row, Count key) {
  using Scalar = typename Scores::Scalar;
  const Count cols = scores.cols();
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    const KeyRange keys = visibility.keys_of(row + r);
    const Count first = std::clamp<Count>(keys.first - key, 0, cols);
    const Count last = std::clamp<Count>(keys.last - key, first, cols);
    scores.row(r).head(first).setConstant(minus_infinity<Scalar>);
    scores.row(r).tail(cols - last).setConstant(minus_infinity<Scalar>);
    if (!visibility.is_arbitrary()) continue;
    for (Count c = first; c < last; ++c) {
      if (!visibility.allows(row + r, key + c)) scores(r, c) = minus_infinity<Scalar>;
    }
  }
}

/// Softmax of whole rows; a row without keys becomes zeros.
template <class Scores>
void softmax(Scores scores) {
  using Scalar = typename Scores::Scalar;
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    auto row = scores.row(r);
    const Scalar sum = exponentiate(row, shift_of<Scalar>(maximum_of(row)));
    if (sum != Scalar(0)) row /= sum;
  }
}

/// One step of the online softmax: scores become exp(s - m_new); m and l are updated; `rescale` is
/// exp(m_old - m_new) and `carried` that factor times the old l.
template <class Scores, class Rows, class Factors>
void online_softmax(Scores scores, Rows m, Rows l, Factors& rescale, Factors& carried) {
  using Scalar = typename Scores::Scalar;
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    auto row = scores.row(r);
    const Scalar largest = maximum_of(row);
    const Scalar maximum = largest > m(r, 0) || std::isnan(largest) ? largest : m(r, 0);
    const Scalar shift = shift_of<Scalar>(maximum);
    rescale(r, 0) = std::exp(m(r, 0) - shift);
    carried(r, 0) = rescale(r, 0) * l(r, 0);
    l(r, 0) = carried(r, 0) + exponentiate(row, shift);
    m(r, 0) = maximum;
  }
}

/// rows[r] /= l[r]; rows whose l is 0 saw no key and become 0.
template <class Numbers, class Sums>
void divide_rows(Numbers numbers, const Sums& sums) {
  using Scalar = typename Numbers::Scalar;
  for (Eigen::Index r = 0; r < numbers.rows(); ++r) {
    if (sums(r, 0) == Scalar(0)) {
      numbers.row(r).setZero();
    } else {
      numbers.row(r) /= sums(r, 0);
    }
  }
}

/// Whether dropout keeps the score of a (row, key) pair of a stream: a fixed pseudo-random choice, 9 of 10.
inline bool dropout_keeps(Count stream, Count row, Count key) {
  auto mix = static_cast<std::uint64_t>(stream) * 0x9E3779B97F4A7C15U ^ static_cast<std::uint64_t>(row) * 0xC2B2AE3D27D4EB4FU ^
             static_cast<std::uint64_t>(key) * 0x165667B19E3779F9U;
  mix ^= mix >> 31;
  mix *= 0x7FB5D329728EA185U;
  mix ^= mix >> 27;
  return mix % 10 != 0;
}
inline constexpr double dropout_keep_probability = 0.9;

}  // namespace tilemeter::numerics
