// Verified bills.
#pragma once

#include <optional>
#include <vector>

#include "model/problem.hpp"

namespace tilemeter::tables {

struct GoldenRow {
  const char* text;
  const char* algorithm;
  Case point;
  Count read;
  Count write;
  Count bytes;
  Count flops;
  std::optional<Count> scores{};   ///< exponentials of scores
  std::optional<Count> rescale{};  ///< exponentials that rescale
  std::optional<Count> needed{};   ///< elements on chip
  std::optional<Count> tiles{};
};

/// fp16 operands, fp32 statistics, dropout's keep-mask of one byte. Figures of a brute-force count elsewhere.
std::vector<GoldenRow> golden_rows();

}  // namespace tilemeter::tables
