// The arithmetic of the verbs on Real tiles, for float and double. Ghost tiles never get here.
#pragma once

#include <Eigen/Core>

#include "model/dtype.hpp"
#include "model/visibility.hpp"

namespace tilemeter::numerics {

template <class Scalar>
using Numbers = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A rectangle of numbers that a function may change.
template <class Scalar>
using Out = Eigen::Ref<Numbers<Scalar>, 0, Eigen::OuterStride<>>;
/// A rectangle of numbers that it reads.
template <class Scalar>
using In = Eigen::Ref<const Numbers<Scalar>, 0, Eigen::OuterStride<>>;

/// How the online softmax treats its state.
enum class SoftmaxRule {
  exact,      ///< guarded, and the factors applied
  unguarded,  ///< rows that have seen no key compute -inf - (-inf), and at their end 0 / 0: NaN
  unscaled    ///< what was summed up is never multiplied by exp(m_old - m_new)
};

template <class Scalar>
void copy(Out<Scalar> to, const In<Scalar>& from);

template <class Scalar>
void fill(Out<Scalar> numbers, Scalar value);

template <class Scalar>
void scale(Out<Scalar> numbers, Scalar factor);

/// s += bias; a bias of one row is added to every row.
template <class Scalar>
void add_bias(Out<Scalar> s, const In<Scalar>& bias);

/// s += q k^T.
template <class Scalar>
void add_scores(Out<Scalar> s, const In<Scalar>& q, const In<Scalar>& k);

/// o += p v.
template <class Scalar>
void accumulate(Out<Scalar> o, const In<Scalar>& p, const In<Scalar>& v);

/// o += p^T v.
template <class Scalar>
void accumulate_transposed(Out<Scalar> o, const In<Scalar>& p, const In<Scalar>& v);

/// to += from.
template <class Scalar>
void add(Out<Scalar> to, const In<Scalar>& from);

/// Rounds every number to `type`. Types wider than Scalar leave it as it is.
template <class Scalar>
void round_all(DType type, Out<Scalar> numbers);

/// Sets the scores that stream rows from `row` on may not see to -inf. Columns are keys from `key` on.
template <class Scalar>
void mask(Out<Scalar> scores, const Visibility& visibility, Count row, Count key);

/// Sets the numbers that `mask` would hide to 0.
template <class Scalar>
void clear_hidden(Out<Scalar> numbers, const Visibility& visibility, Count row, Count key);

/// Softmax of whole rows; a row without keys becomes zeros.
template <class Scalar>
void softmax(Out<Scalar> scores);

/// One step of the online softmax: scores become exp(s - m_new); m and l (one column each) are updated; `rescale` is
/// exp(m_old - m_new) and `carried` that factor times the old l; without scaling they are 1 and the old l.
template <class Scalar>
void online_softmax(Out<Scalar> scores, Out<Scalar> m, Out<Scalar> l, Out<Scalar> rescale, Out<Scalar> carried,
                    SoftmaxRule rule = SoftmaxRule::exact);

/// scores = exp(scores - m) / l, with the statistics of whole rows.
template <class Scalar>
void normalise(Out<Scalar> scores, const In<Scalar>& m, const In<Scalar>& l);

/// scores = exp(scores - m), with m and l (one column each) the maximum and the sum of this tile alone.
template <class Scalar>
void chunk_softmax(Out<Scalar> scores, Out<Scalar> m, Out<Scalar> l);

/// scores = exp(scores - m).
template <class Scalar>
void exponentiate_rows(Out<Scalar> scores, const In<Scalar>& m);

/// Weights of partial results whose maxima are the columns of `m` and whose sums are those of `l`: m = exp(m - max m) /
/// sum of l exp(m - max m), row by row; zeros for a row without keys.
template <class Scalar>
void combine_weights(Out<Scalar> m, const In<Scalar>& l);

/// numbers[r] *= factors[r].
template <class Scalar>
void scale_rows(Out<Scalar> numbers, const In<Scalar>& factors);

/// numbers[r] /= sums[r]; rows whose sum is 0 saw no key and become 0, or without a guard NaN.
template <class Scalar>
void divide_rows(Out<Scalar> numbers, const In<Scalar>& sums, SoftmaxRule rule = SoftmaxRule::exact);

/// lse[r] = log sum_c exp(parts[r, c]), or `empty` where all are -inf; parts = exp(parts - lse), zeros there.
template <class Scalar>
void merge_log_sum_exp(Out<Scalar> parts, Out<Scalar> lse, Scalar empty);

/// o[r] += weights[r] partial[r].
template <class Scalar>
void add_weighted(Out<Scalar> o, const In<Scalar>& weights, const In<Scalar>& partial);

/// m = m + log(l), or `empty` where l is 0.
template <class Scalar>
void log_sum_exp(Out<Scalar> m, const In<Scalar>& l, Scalar empty);

/// p = p z / keep probability with z the kept scores of `stream` from stream row `row` on.
template <class Scalar>
void dropout(Out<Scalar> p, Out<Scalar> z, Count stream, Count row);

/// Inverts `dropout` in the gradient: dp = dp z / keep probability.
template <class Scalar>
void dropout_gradient(Out<Scalar> dp, const In<Scalar>& z);

/// scores = exp(scores - lse), zeros in rows whose lse is infinite.
template <class Scalar>
void probabilities(Out<Scalar> scores, const In<Scalar>& lse);

/// sums[r] = a[r] . b[r], one column.
template <class Scalar>
void row_products(Out<Scalar> sums, const In<Scalar>& a, const In<Scalar>& b);

/// The gradient of the scores from that of the probabilities: dp[r] = p[r] (dp[r] - sums[r]).
template <class Scalar>
void softmax_gradient(Out<Scalar> dp, const In<Scalar>& p, const In<Scalar>& sums);

/// Softmax of rows in double precision with their log-sum-exp, for the reference. `empty` is that of a row without
/// keys.
void reference_softmax(Out<double> scores, Out<double> lse, double empty);

}  // namespace tilemeter::numerics
