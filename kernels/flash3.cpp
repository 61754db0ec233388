#include "kernels/flash3.hpp"

#include <string_view>

#include "kernels/catalog.hpp"

namespace tilemeter::kernels {
namespace {

/// Sums of four lengths have 32 bits.
constexpr Count longest = Count{1} << 28;

std::optional<std::string> unless_short(std::string_view option, Count length) {
  if (length <= longest) return std::nullopt;
  return std::string(option) + " " + std::to_string(length) + ": at most " + std::to_string(longest);
}

}  // namespace

std::optional<std::string> refusal_of_flash3(const Case& point) {
  if (auto reason = unless_short("--seq-q", point.problem.seq_q)) return reason;
  if (auto reason = unless_short("--seq-k", point.problem.seq_k)) return reason;
  const DType output = point.problem.fp8_output;
  if (point.problem.dtype == DType::fp8 && output != DType::bf16) {
    return "O of --dtype fp8 in " + std::string(name_of(output)) + ": accepted is bf16";
  }
  return grid_too_large(grid_blocks(point));
}

}  // namespace tilemeter::kernels
