#include "traces/ncu/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "model/quantity.hpp"

namespace tilemeter::ncu {

bool agrees_at_sm_edge(Bytes ledger, Bytes measured) {
  constexpr Count mebibyte = Count{1} << 20;
  const Count allowed = std::max(ledger.value() / 1000, mebibyte);
  return std::abs((measured - ledger).value()) <= allowed;
}

std::optional<std::string> line_or_sector(Bytes predicted, Bytes measured) {
  constexpr double sectors_a_line = 4;
  constexpr double tolerance = 0.01;
  const auto [less, more] = std::minmax(predicted, measured);
  if (less <= Bytes(0)) return std::nullopt;
  const double ratio = static_cast<double>(more.value()) / static_cast<double>(less.value());
  if (std::abs(ratio / sectors_a_line - 1) > tolerance) return std::nullopt;
  return std::string(predicted > measured ? "predicted" : "measured") +
         " bytes are four times the others: perhaps lines of 128 bytes were counted where sectors of 32 moved";
}

DramWrites dram_writes(Bytes measured, Bytes output) {
  return measured > output ? DramWrites::more_than_output : DramWrites::up_to_output;
}

std::string to_text(DramWrites writes, Bytes l2_capacity) {
  if (writes == DramWrites::more_than_output) {
    return "more than the output: lines were written twice, registers spilled, or lines were dirty before";
  }
  return "normal: output may stay in the L2 (" + tilemeter::to_text(l2_capacity) +
         ") when the kernel ends; a larger output, or a flush, shows it as DRAM writes";
}

}  // namespace tilemeter::ncu
