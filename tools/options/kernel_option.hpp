// --kernel NAME|FILE.toml: a description of a kernel in the place of tile sizes and options of execution.
#pragma once

#include <optional>
#include <span>

#include "model/kernel_description.hpp"
#include "tools/command.hpp"
#include "tools/options/request.hpp"

namespace tilemeter {

/// The option itself.
std::span<const OptionSpec> kernel_option_specs();

/// The description that --kernel names. Throws as `load_kernel`.
std::optional<KernelDescription> described_kernel(const Arguments& arguments);

/// With --kernel alone, the algorithm is the one that it executes. Throws InputError when --algorithm is another.
Arguments with_algorithm_of(const std::optional<KernelDescription>& kernel, const Arguments& arguments);

/// What `request` says that a build is chosen by.
BuildWish wish_of(const PointRequest& request);

/// The build with the tile sizes of `request`; where they are those of none, the first that suits the rest of it.
/// Throws InputError that lists the builds when none does.
const KernelBuild& nearest_build(const KernelDescription& kernel, const PointRequest& request);

/// `request` with the sizes of `build` where it has neither sizes nor a rule for them, and its stages.
PointRequest with_sizes(PointRequest request, const KernelBuild& build);

}  // namespace tilemeter
