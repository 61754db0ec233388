// Grids of blocks on the axes of a launch, and the limits of the axes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "model/problem.hpp"

namespace tilemeter {

enum class GridAxis { x, y, z };
std::string_view name_of(GridAxis axis);

/// Blocks along each axis.
struct LaunchGrid {
  Count x = 1;
  Count y = 1;
  Count z = 1;

  Count along(GridAxis axis) const { return axis == GridAxis::x ? x : axis == GridAxis::y ? y : z; }
  /// All of them. Throws FigureOverflow.
  Count blocks() const;
  friend bool operator==(const LaunchGrid&, const LaunchGrid&) = default;
};

/// The most blocks along an axis: 2^31 - 1 for x, 65535 for y and z (CUDA C++ Programming Guide 12.9, technical
/// specifications, every compute capability since 3.0).
Count limit_of(GridAxis axis);

/// The first axis whose limit `grid` passes; nothing when it can be launched.
std::optional<GridAxis> axis_past_limit(const LaunchGrid& grid);

/// The grid of a kernel, and what each axis counts: "query tiles", "batch", "heads". Empty where it is not known.
struct KernelGrid {
  LaunchGrid size;
  std::array<std::string_view, 3> counts{};

  /// "(query tiles, batch, heads)"; empty where nothing is known.
  std::string mapping() const;
};

/// The grid that `kernel` of `algorithm` launches on the whole of `point`; nothing where no mapping is stated. How
/// blocks map to axes is a choice of a kernel. Stated here:
///  flash1:          (batch, heads, row splits), as the kernel of FlashAttention 1
///  flash2:          (query tiles, batch, heads), as the kernels of FlashAttention-2
///  standard_tiled:  "scores" (key tiles, query tiles, batch x heads), "softmax" (query tiles, 1, batch x heads),
///                   "output" (head-dimension tiles, query tiles, batch x heads)
/// With packed heads `heads` are the K/V heads, and query tiles cover the rows of a group. Throws FigureOverflow.
std::optional<KernelGrid> launch_grid(std::string_view algorithm, std::string_view kernel, const Case& point);

/// Why `grid` cannot be launched: "grid.z: heads 71280 > 65535; is the layout (B, H, N, d) mixed up with (B, N, H,
/// d)?". Nothing when it can.
std::optional<std::string> grid_refusal(const KernelGrid& grid);

}  // namespace tilemeter
