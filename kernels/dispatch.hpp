// From the sizes that a point asks for to the kernel that was compiled for them.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/catalog.hpp"

namespace tilemeter::kernels {

/// Calls `body(index)` with the index, a std::integral_constant, of the tiling in `tilings` that `point` asks for. The
/// point was checked by `require_supported`.
template <const auto& tilings, class Body>
void with_tiling(const Case& point, Body body) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    ((matches(tilings[Index], point) && (body(std::integral_constant<std::size_t, Index>()), true)) || ...);
  }(std::make_index_sequence<tilings.size()>());
}

}  // namespace tilemeter::kernels
