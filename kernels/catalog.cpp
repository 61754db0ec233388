#include "kernels/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/flash3_ladder.hpp"
#include "model/suggest.hpp"

namespace tilemeter::kernels {
namespace {

/// "a", "a, b", ...: each distinct text once, in order.
std::string listed(const std::vector<std::string>& texts) {
  std::string list;
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    if (std::find(texts.begin(), text, *text) != text) continue;
    list += (list.empty() ? "" : ", ") + *text;
  }
  return list;
}

std::string accepted_text(const std::vector<std::string>& texts) {
  const std::string list = listed(texts);
  return (list.find(", ") == std::string::npos ? ": accepted is " : ": accepted are ") + list;
}

std::string_view name_of(Packing packing) {
  return packing == Packing::packed ? "--packed" : "one stream per query head";
}
using tilemeter::name_of;

/// "OPTION VALUE: accepted are ...", unless `accepted` is empty or holds `given`.
template <class T>
std::optional<std::string> unless_listed(std::string_view option, T given, std::span<const T> accepted) {
  if (accepted.empty() || std::find(accepted.begin(), accepted.end(), given) != accepted.end()) return std::nullopt;
  std::vector<std::string> names;
  for (const T value : accepted) names.emplace_back(name_of(value));
  return std::string(option) + std::string(name_of(given)) + accepted_text(names);
}

/// A size of a tiling and of a point that a kernel is compiled for.
struct Size {
  std::string_view option;
  Count KernelTiling::*compiled;
  Count (*asked)(const Case&);
};

constexpr std::array head_sizes = {
    Size{"--head-dim", &KernelTiling::head_dim, [](const Case& point) { return point.problem.head_dim; }},
    Size{"--head-dim-v", &KernelTiling::head_dim_v, [](const Case& point) { return point.problem.head_dim_v; }},
};
constexpr std::array tile_sizes = {
    Size{"--block-q", &KernelTiling::block_q, [](const Case& point) { return point.tiling.block_q; }},
    Size{"--block-k", &KernelTiling::block_k, [](const Case& point) { return point.tiling.block_k; }},
    Size{"--block-d", &KernelTiling::block_d,
         [](const Case& point) { return point.tiling.block_d == 0 ? point.problem.head_dim : point.tiling.block_d; }},
    Size{"--block-m", &KernelTiling::block_m, [](const Case& point) { return point.tiling.block_m; }},
    Size{"--block-n", &KernelTiling::block_n, [](const Case& point) { return point.tiling.block_n; }},
    Size{"--stages", &KernelTiling::stages, [](const Case& point) { return point.tiling.stages; }},
};

bool agree(const KernelTiling& tiling, const Case& point, std::span<const Size> sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](const Size& size) {
    const Count compiled = tiling.*size.compiled;
    return compiled == 0 || compiled == size.asked(point);
  });
}

/// What of `sizes` the kernel is compiled for, in a few words: "--block-q/--block-k 48x64: accepted are 32x32, 64x64".
std::optional<std::string> unless_compiled(const std::vector<KernelTiling>& tilings, const Case& point,
                                           std::span<const Size> sizes, std::string_view between) {
  if (std::any_of(tilings.begin(), tilings.end(), [&](const auto& own) { return agree(own, point, sizes); })) {
    return std::nullopt;
  }
  const auto used = [&](const Size& size) {
    return std::any_of(tilings.begin(), tilings.end(), [&](const auto& own) { return own.*size.compiled != 0; });
  };
  const auto joined = [&](std::string_view separator, auto text) {
    std::string all;
    for (const Size& size : sizes) {
      if (used(size)) all += (all.empty() ? "" : std::string(separator)) + std::string(text(size));
    }
    return all;
  };
  std::vector<std::string> accepted;
  for (const KernelTiling& tiling : tilings) {
    accepted.push_back(joined(between, [&](const Size& size) { return std::to_string(tiling.*size.compiled); }));
  }
  return joined("/", [](const Size& size) { return size.option; }) + " " +
         joined(between, [&](const Size& size) { return std::to_string(size.asked(point)); }) + accepted_text(accepted);
}

std::vector<KernelTiling> tilings_of_head(const Kernel& kernel, const Case& point) {
  std::vector<KernelTiling> tilings;
  std::copy_if(kernel.tilings.begin(), kernel.tilings.end(), std::back_inserter(tilings),
               [&](const auto& own) { return suits(own, point.problem) && agree(own, point, head_sizes); });
  return tilings;
}

/// The first reason against `problem`, without the kernel's name.
std::optional<std::string> reason_against(const Kernel& kernel, const Problem& problem) {
  static constexpr std::array stat_dtypes = {DType::fp32};
  if (auto reason = unless_listed("--dtype ", problem.dtype, kernel.dtypes)) return reason;
  if (auto reason = unless_listed("--stat-dtype ", problem.stat_dtype, std::span<const DType>(stat_dtypes)))
    return reason;
  if (auto reason = unless_listed("--score-dtype ", problem.score_dtype, kernel.score_dtypes)) return reason;
  if (auto reason = unless_listed("--o-dtype ", problem.o_dtype, kernel.o_dtypes)) return reason;
  if (kernel.masks.empty()) return std::nullopt;
  if (auto reason = unless_listed("", problem.packing, kernel.packings)) return reason;
  if (auto reason = unless_listed("--mask ", problem.mask.kind, kernel.masks)) return reason;
  std::vector<KernelTiling> tilings;
  std::copy_if(kernel.tilings.begin(), kernel.tilings.end(), std::back_inserter(tilings),
               [&](const auto& own) { return suits(own, problem); });
  return unless_compiled(tilings, {.problem = problem, .tiling = {}, .options = {}}, head_sizes, "/");
}

std::optional<std::string> reason_against(const Kernel& kernel, const Case& point) {
  if (auto reason = reason_against(kernel, point.problem)) return reason;
  if (point.options.variant) {
    if (auto reason = unless_listed("--variant ", *point.options.variant, kernel.variants)) return reason;
  }
  const std::vector<KernelTiling> tilings = tilings_of_head(kernel, point);
  const std::span<const Size> sizes = tile_sizes;
  if (auto reason = unless_compiled(tilings, point, sizes.first(sizes.size() - 1), "x")) return reason;
  std::vector<KernelTiling> of_tile;
  std::copy_if(tilings.begin(), tilings.end(), std::back_inserter(of_tile),
               [&](const auto& own) { return agree(own, point, sizes.first(sizes.size() - 1)); });
  if (auto reason = unless_compiled(of_tile, point, sizes.last(1), "")) return reason;
  return kernel.refusal == nullptr ? std::nullopt : kernel.refusal(point);
}

std::optional<std::string> with_name(const Kernel& kernel, const std::optional<std::string>& reason) {
  if (!reason) return std::nullopt;
  return "kernel " + std::string(kernel.name) + ", " + *reason;
}

}  // namespace

const Kernel& kernel_named(std::string_view name, std::string_view asked_by) {
  for (const Kernel& kernel : catalog()) {
    if (kernel.name == name) return kernel;
  }
  for (const Kernel& rung : flash3_ladder()) {
    if (rung.name == name) return rung;
  }
  std::vector<std::string> names;
  std::vector<std::string_view> known;
  for (const Kernel& kernel : catalog()) {
    names.emplace_back(kernel.name);
    known.push_back(kernel.name);
  }
  throw InputError(std::string(asked_by) + " " + std::string(name) + suggestion(name, known) + ": accepted are " +
                   listed(names));
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

void require_runnable(const Kernel& kernel, const Tensors& tensors, const Case& point) {
  require_supported(kernel, point);
  constexpr std::uintptr_t alignment = 16;
  for (const Operand& operand : kernel.operands(point)) {
    const void* memory = tensors[operand.name];
    const bool there = memory != nullptr || operand.elements == 0;
    if (there && reinterpret_cast<std::uintptr_t>(memory) % alignment == 0) continue;
    throw std::invalid_argument(std::string(kernel.name) + ": " + std::string(name_of(operand.name)) +
                                " must be device memory aligned to 16 bytes");
  }
}

bool suits(const KernelTiling& tiling, const Problem& problem) {
  return tiling.element_size == 0 || tiling.element_size == size_of(problem.dtype);
}

bool matches(const KernelTiling& tiling, const Case& point) {
  return suits(tiling, point.problem) && agree(tiling, point, head_sizes) && agree(tiling, point, tile_sizes);
}

std::optional<std::string> grid_too_large(Count blocks) {
  constexpr Count largest_grid = std::numeric_limits<std::int32_t>::max();
  if (blocks <= largest_grid) return std::nullopt;
  return "a grid of " + std::to_string(blocks) + " thread blocks: at most " + std::to_string(largest_grid);
}

Count grid_blocks(const Case& point) {
  return named("the grid", [&] {
    return checked::multiply(ceil_div(point.problem.rows(), point.tiling.block_q), point.problem.streams());
  });
}

}  // namespace tilemeter::kernels
