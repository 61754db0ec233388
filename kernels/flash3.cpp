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
  return grid_too_large(grid_blocks(point));
}

}  // namespace tilemeter::kernels
