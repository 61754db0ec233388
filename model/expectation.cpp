#include "model/expectation.hpp"

namespace tilemeter {

Expectation expectation_of(const EfficiencyFigure& figure, MatrixPath path) {
  constexpr Expectation shared_of_wgmma{.value = 0.02, .doubt = 0.05};
  constexpr Expectation shared_of_mma{.value = 0.35, .doubt = 0.2};
  if (figure.member != &Efficiency::shared) return {.value = figure.prior, .doubt = figure.doubt};
  return path == MatrixPath::wgmma ? shared_of_wgmma : shared_of_mma;
}

}  // namespace tilemeter
