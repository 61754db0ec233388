#include "kernels/catalog.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/flash2_plain.hpp"

#ifdef TILEMETER_CUDA_BUILT
#define LAUNCHER(function) function
#else
#define LAUNCHER(function) nullptr
#endif

namespace tilemeter::kernels {
namespace {

constexpr std::array structured_masks = {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left, MaskKind::window};

constexpr std::array kernels = {
    Kernel{"flash2_plain", "flash2", "fp32 on the ordinary cores: one thread block a row block, S in registers",
           DType::fp32, flash2_plain_tilings, structured_masks, LAUNCHER(launch_flash2_plain),
           LAUNCHER(count_flash2_plain)},
};

/// "a", "a, b", ...: each distinct text once, in order.
std::string listed(const std::vector<std::string>& texts) {
  std::string list;
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    if (std::find(texts.begin(), text, *text) != text) continue;
    list += (list.empty() ? "" : ", ") + *text;
  }
  return list;
}

std::string tilings_text(const Kernel& kernel, const Problem& problem) {
  std::vector<std::string> texts;
  for (const KernelTiling& tiling : kernel.tilings) {
    if (tiling.head_dim != problem.head_dim || tiling.head_dim_v != problem.head_dim_v) continue;
    texts.push_back(std::to_string(tiling.block_q) + "x" + std::to_string(tiling.block_k));
  }
  return listed(texts);
}

std::string head_dims_text(const Kernel& kernel) {
  std::vector<std::string> texts;
  for (const KernelTiling& tiling : kernel.tilings) {
    texts.push_back(std::to_string(tiling.head_dim) + "/" + std::to_string(tiling.head_dim_v));
  }
  return listed(texts);
}

std::string masks_text(const Kernel& kernel) {
  std::vector<std::string> texts;
  for (const MaskKind mask : kernel.masks) texts.emplace_back(name_of(mask));
  return listed(texts);
}

std::string type_text(std::string_view option, DType given, DType accepted) {
  return std::string(option) + " " + std::string(name_of(given)) + ": accepted is " + std::string(name_of(accepted));
}

/// The first reason against `problem`, without the kernel's name.
std::optional<std::string> reason_against(const Kernel& kernel, const Problem& problem) {
  if (problem.dtype != kernel.dtype) return type_text("--dtype", problem.dtype, kernel.dtype);
  if (problem.stat_dtype != DType::fp32) return type_text("--stat-dtype", problem.stat_dtype, DType::fp32);
  if (problem.packing == Packing::packed) return "--packed: accepted is one stream per query head";
  if (std::find(kernel.masks.begin(), kernel.masks.end(), problem.mask.kind) == kernel.masks.end()) {
    return "--mask " + std::string(name_of(problem.mask.kind)) + ": accepted are " + masks_text(kernel);
  }
  if (tilings_text(kernel, problem).empty()) {
    return "--head-dim/--head-dim-v " + std::to_string(problem.head_dim) + "/" + std::to_string(problem.head_dim_v) +
           ": accepted are " + head_dims_text(kernel);
  }
  return std::nullopt;
}

std::optional<std::string> reason_against(const Kernel& kernel, const Case& point) {
  if (auto reason = reason_against(kernel, point.problem)) return reason;
  const Tiling& tiling = point.tiling;
  if (std::none_of(kernel.tilings.begin(), kernel.tilings.end(),
                   [&](const auto& own) { return matches(own, point); })) {
    return "--block-q/--block-k " + std::to_string(tiling.block_q) + "x" + std::to_string(tiling.block_k) +
           ": accepted are " + tilings_text(kernel, point.problem);
  }
  if (tiling.stages != 1) return "--stages " + std::to_string(tiling.stages) + ": accepted is 1";
  constexpr Count largest_grid = std::numeric_limits<std::int32_t>::max();
  if (const Count blocks = grid_blocks(point); blocks > largest_grid) {
    return "a grid of " + std::to_string(blocks) + " thread blocks: at most " + std::to_string(largest_grid);
  }
  return std::nullopt;
}

std::optional<std::string> with_name(const Kernel& kernel, const std::optional<std::string>& reason) {
  if (!reason) return std::nullopt;
  return "kernel " + std::string(kernel.name) + ", " + *reason;
}

}  // namespace

std::span<const Kernel> catalog() { return kernels; }

const Kernel& kernel_named(std::string_view name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == name; });
  if (found != kernels.end()) return *found;
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels) names.emplace_back(kernel.name);
  throw InputError("--kernel " + std::string(name) + ": accepted are " + listed(names));
}

std::optional<std::string> unsupported(const Kernel& kernel, const Problem& problem) {
  return with_name(kernel, reason_against(kernel, problem));
}

std::optional<std::string> unsupported(const Kernel& kernel, const Case& point) {
  return with_name(kernel, reason_against(kernel, point));
}

void require_supported(const Kernel& kernel, const Case& point) {
  validate(point.problem);
  if (const auto reason = unsupported(kernel, point)) throw InputError(*reason);
}

bool matches(const KernelTiling& tiling, const Case& point) {
  return tiling.block_q == point.tiling.block_q && tiling.block_k == point.tiling.block_k &&
         tiling.head_dim == point.problem.head_dim && tiling.head_dim_v == point.problem.head_dim_v;
}

Count grid_blocks(const Case& point) {
  return named("the grid", [&] {
    return checked::multiply(ceil_div(point.problem.rows(), point.tiling.block_q), point.problem.streams());
  });
}

}  // namespace tilemeter::kernels
