// How far the traffic of an algorithm is from the best lower bound known for its class.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/bound.hpp"
#include "model/complexity/contender.hpp"

namespace tilemeter::complexity {

struct Distance {
  Contender contender;
  Scale scale;
  std::string reason;  ///< why no tile fits; the rest is then empty
  Tiling tiling{};
  Elements used{};  ///< on chip
  Elements moved{};
  LowerBound bound{};  ///< at the given M; for tiles that hold more, at what they hold

  double ratio() const { return static_cast<double>(moved.value()) / static_cast<double>(bound.least.value()); }
  bool holds() const { return !reason.empty() || moved >= bound.least; }
};

/// The contenders of an algorithm of attention or its gradients under the rules that apply to it: none for one without
/// tiles of its own choice, else paper (streaming algorithms), fit and optimum. Empty for other computations.
std::vector<Contender> contenders_of(std::string_view algorithm);

Distance distance_of(const Contender& contender, const Scale& scale, const Counting& counting);

}  // namespace tilemeter::complexity
