// From the sizes that a point asks for to the kernel that was compiled for them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernels/catalog.hpp"

namespace tilemeter::kernels {

/// How many tilings of a kernel are compiled: all, or, in a build that only shows that the code compiles, one.
constexpr std::size_t compiled_tilings(std::size_t tilings) {
#ifdef TILEMETER_FIRST_TILING
  return tilings > 0 ? 1 : 0;
#else
  return tilings;
#endif
}

/// Calls `body(index)` with the index, a std::integral_constant, of the tiling in `tilings` that `point` asks for. The
/// point was checked by `require_supported`. Throws std::logic_error for a tiling that this build left out.
template <const auto& tilings, class Body>
void with_tiling(const Case& point, Body body) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    const bool compiled =
        ((matches(tilings[Index], point) && (body(std::integral_constant<std::size_t, Index>()), true)) || ...);
    if (!compiled) throw std::logic_error("a tiling that this build of the kernels left out (TILEMETER_FIRST_TILING)");
  }(std::make_index_sequence<compiled_tilings(tilings.size())>());
}

}  // namespace tilemeter::kernels
