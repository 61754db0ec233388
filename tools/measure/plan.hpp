// Which kernel runs a point, in which of its tilings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/catalog.hpp"
#include "tools/options/request.hpp"

namespace tilemeter {

/// A point and the kernel that is to run it.
struct MeasurePlan {
  const kernels::Kernel* kernel = nullptr;
  PointRequest request;                  ///< with the kernel's tile sizes filled in
  Case point;                            ///< defaults filled in; what the launchers take
  std::optional<std::string> refusal{};  ///< why the kernel cannot run it
};

/// Plans `request` for `kernel`, or without one for the first kernel that mirrors the algorithm and can run it; where
/// none can, for the first, with its reason. Sizes that are not given are those of the kernel's first tiling that has
/// the given ones; a layer's, of the one that suits its tokens. Throws InputError when the input is wrong, and when no
/// kernel mirrors the algorithm.
MeasurePlan plan_of(const PointRequest& request, const kernels::Kernel* kernel);

/// The names of the catalog.
std::vector<std::string_view> known_kernels();

/// The kernels that mirror an algorithm, in the order of the catalog.
std::vector<const kernels::Kernel*> kernels_of(std::string_view algorithm);

}  // namespace tilemeter
