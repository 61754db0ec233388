#include "sim/elementwise_numerics.hpp"

#include <algorithm>
#include <cmath>

namespace tilemeter::numerics {

template <class Scalar>
void row_maximum(Out<Scalar> m, const In<Scalar>& x) {
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    m(r, 0) = std::max(m(r, 0), x.row(r).template maxCoeff<Eigen::PropagateNaN>());
  }
}

template <class Scalar>
void exponentiate(Out<Scalar> x, const In<Scalar>& shift) {
  for (Eigen::Index r = 0; r < x.rows(); ++r) x.row(r) = (x.row(r).array() - shift(r, 0)).exp().matrix().eval();
}

template <class Scalar>
void add_row_sums(Out<Scalar> l, const In<Scalar>& x) {
  for (Eigen::Index r = 0; r < x.rows(); ++r) l(r, 0) += x.row(r).sum();
}

template <class Scalar>
void online_normaliser(Out<Scalar> m, Out<Scalar> l, const In<Scalar>& x) {
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      const Scalar larger = std::max(m(r, 0), x(r, c));
      l(r, 0) = l(r, 0) * std::exp(m(r, 0) - larger) + std::exp(x(r, c) - larger);
      m(r, 0) = larger;
    }
  }
}

template <class Scalar>
void scale_groups(Out<Scalar> w, const In<Scalar>& scales, Count group) {
  for (Eigen::Index begin = 0; begin < w.cols(); begin += group) {
    const Eigen::Index cols = std::min<Eigen::Index>(group, w.cols() - begin);
    w.middleCols(begin, cols).array().colwise() *= scales.col(begin / group).array();
  }
}

template <class Scalar>
void apply(ChainStep step, Out<Scalar> y, const In<Scalar>& side) {
  switch (step) {
    case ChainStep::leaky:
      y = y.cwiseMax(y / Scalar(4)).eval();
      return;
    case ChainStep::reflect:
      y = (Scalar(1) - y.array() / Scalar(2)).matrix().eval();
      return;
    case ChainStep::side:
      y = (y / Scalar(2) + side).eval();
      return;
  }
}

#define TILEMETER_FOR_SCALAR(Scalar)                                                    \
  template void row_maximum<Scalar>(Out<Scalar>, const In<Scalar>&);                    \
  template void exponentiate<Scalar>(Out<Scalar>, const In<Scalar>&);                   \
  template void add_row_sums<Scalar>(Out<Scalar>, const In<Scalar>&);                   \
  template void online_normaliser<Scalar>(Out<Scalar>, Out<Scalar>, const In<Scalar>&); \
  template void scale_groups<Scalar>(Out<Scalar>, const In<Scalar>&, Count);            \
  template void apply<Scalar>(ChainStep, Out<Scalar>, const In<Scalar>&);
TILEMETER_FOR_SCALAR(float)
TILEMETER_FOR_SCALAR(double)
#undef TILEMETER_FOR_SCALAR

}  // namespace tilemeter::numerics
