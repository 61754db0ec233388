// What each step of a kernel's ladder gains: predicted against measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/row.hpp"

namespace tilemeter::validation {

/// The rung that `kernel` builds on: "flash3_rung2" of "flash3_rung3" (kernels/flash3_ladder.hpp); nothing of a first
/// rung and of kernels that are none.
std::optional<std::string> rung_below(std::string_view kernel);

struct LadderStep {
  std::string split;
  std::string rung;
  std::string below;
  std::string problem;
  double measured = 0;   ///< time of the rung below / its own - 1
  double predicted = 0;  ///< likewise
  bool sign = true;      ///< both gain or both lose, or less than 1 % was gained or lost
  bool within = true;    ///< at most 10 points apart

  double points() const { return 100 * (predicted - measured); }
  bool right() const { return sign && within; }
};

/// The steps of which both rungs were timed on the same problem in the same split.
std::vector<LadderStep> ladder_steps(const std::vector<Row>& rows);

}  // namespace tilemeter::validation
