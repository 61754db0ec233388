#include "kernels/gemm.hpp"

#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

#include "kernels/catalog.hpp"
#include "model/closed_form/gemm.hpp"

namespace tilemeter::kernels {
namespace {

/// Coordinates have 32 bits, and loops go one tile too far.
constexpr Count largest = std::numeric_limits<std::int32_t>::max() - 1023;

std::optional<std::string> unless_copied(std::string_view option, Count size, bool contiguous) {
  constexpr Count whole_chunks = 16 / GemmLayout::element;
  const std::string given = std::string(option) + " " + std::to_string(size);
  if (contiguous && size % whole_chunks != 0) {
    return given + ": accepted are multiples of " + std::to_string(whole_chunks);
  }
  if (size > largest) return given + ": at most " + std::to_string(largest);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refusal_of_gemm(const Case& point) {
  if (const GemmOrder order = gemm_order_of(point); order != GemmOrder::c_stationary) {
    return "--order " + std::string(name_of(order)) + ": accepted is " + std::string(name_of(GemmOrder::c_stationary));
  }
  const auto& [m, n, k] = std::tie(point.shapes.m, point.shapes.n, point.shapes.k);
  if (auto reason = unless_copied("--m", m, false)) return reason;
  if (auto reason = unless_copied("--n", n, true)) return reason;
  if (auto reason = unless_copied("--k", k, true)) return reason;
  return grid_too_large(named("the grid", [&] {
    const Count tiles = checked::multiply(ceil_div(m, point.tiling.block_m), ceil_div(n, point.tiling.block_n));
    return checked::multiply(tiles, point.problem.batch);
  }));
}

}  // namespace tilemeter::kernels
