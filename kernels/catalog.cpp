#include "kernels/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/elementwise.hpp"
#include "kernels/flash1.hpp"
#include "kernels/flash1_backward.hpp"
#include "kernels/flash2.hpp"
#include "kernels/flash2_backward.hpp"
#include "kernels/flash2_plain.hpp"
#include "kernels/flash3.hpp"
#include "kernels/flash3_backward.hpp"
#include "kernels/flash3_ladder.hpp"
#include "kernels/gemm.hpp"
#include "kernels/linear_attention.hpp"
#include "kernels/operands.hpp"
#include "kernels/softmax.hpp"
#include "kernels/split_kv.hpp"
#include "kernels/standard.hpp"
#include "kernels/standard_backward.hpp"
#include "kernels/standard_hopper.hpp"
#include "kernels/stream_refusals.hpp"
#include "kernels/weight_layer.hpp"
#include "model/closed_form/linear_attention.hpp"

#ifdef TILEMETER_CUDA_BUILT
#define LAUNCHER(function) function
#else
#define LAUNCHER(function) nullptr
#endif

namespace tilemeter::kernels {
namespace {

constexpr std::array structured_masks = {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left, MaskKind::window};
constexpr std::array bf16_only = {DType::bf16};
constexpr std::array single_precision = {DType::fp32};
constexpr std::array half_precision = {DType::fp16, DType::bf16};
constexpr std::array any_precision = {DType::fp32, DType::fp16, DType::bf16};

std::optional<std::string> refusal_of_row_blocks(const Case& point) { return grid_too_large(grid_blocks(point)); }

constexpr std::array kernels = {
    Kernel{.name = "flash2_plain",
           .algorithm = "flash2",
           .idea = "fp32 on the ordinary cores: one thread block a row block, S in registers",
           .dtypes = single_precision,
           .tilings = flash2_plain_tilings,
           .masks = structured_masks,
           .operands = flash_operands,
           .refusal = refusal_of_row_blocks,
           .launch = LAUNCHER(launch_flash2_plain),
           .count = LAUNCHER(count_flash2_plain)},
    Kernel{.name = "flash2",
           .algorithm = "flash2",
           .idea = "mma.sync on warps of 16 or 32 query rows, S and P in registers, K and V a tile ahead by cp.async",
           .dtypes = half_precision,
           .tilings = flash2_tilings,
           .masks = structured_masks,
           .operands = flash_operands,
           .refusal = refusal_of_row_blocks,
           .launch = LAUNCHER(launch_flash2),
           .count = LAUNCHER(count_flash2)},
    Kernel{.name = "flash3",
           .algorithm = "flash3",
           .idea = "wgmma on 64 query rows a warpgroup; warps of their own fetch Q, K and V; softmax under products",
           .dtypes = half_precision,
           .tilings = flash3_tilings,
           .masks = structured_masks,
           .operands = flash_operands,
           .refusal = refusal_of_flash3,
           .launch = LAUNCHER(launch_flash3),
           .count = LAUNCHER(count_flash3)},
    Kernel{.name = "gemm",
           .algorithm = "gemm",
           .idea = "Hopper's tensor cores (wgmma), fed by tensor copies that a warp of their own issues",
           .dtypes = half_precision,
           .tilings = gemm_tilings,
           .operands = gemm_operands,
           .refusal = refusal_of_gemm,
           .launch = LAUNCHER(launch_gemm),
           .count = LAUNCHER(count_gemm)},
    Kernel{.name = "weight_layer",
           .algorithm = "weight_layer",
           .idea = "wgmma with the weights as its rows and the tokens as its columns; clusters share d_in",
           .dtypes = bf16_only,
           .tilings = weight_layer_tilings,
           .operands = weight_layer_operands,
           .refusal = refusal_of_weight_layer,
           .launch = LAUNCHER(launch_weight_layer),
           .count = LAUNCHER(count_weight_layer)},
    Kernel{.name = "weight_layer_int8",
           .algorithm = "weight_layer",
           .idea = "the same with weights in int8, dequantised in registers on their way to the tensor cores",
           .dtypes = bf16_only,
           .tilings = weight_layer_int8_tilings,
           .operands = weight_layer_operands,
           .refusal = refusal_of_weight_layer_int8,
           .launch = LAUNCHER(launch_weight_layer_int8),
           .count = LAUNCHER(count_weight_layer_int8)},
    Kernel{.name = "split_kv",
           .algorithm = "split_kv",
           .idea = "mma.sync on 16 query rows, packed from the heads of a K/V head; warps take keys of their own",
           .dtypes = half_precision,
           .tilings = split_kv_tilings,
           .masks = structured_masks,
           .packings = split_kv_packings,
           .operands = split_kv_operands,
           .refusal = refusal_of_splits,
           .launch = LAUNCHER(launch_split_kv),
           .count = LAUNCHER(count_split_kv)},
    Kernel{.name = "linear_attention",
           .algorithm = "linear_attention",
           .idea = "mma.sync; a thread block takes a stream, and each order of the products is kernels of its own",
           .dtypes = half_precision,
           .tilings = linear_attention_tilings,
           .masks = structured_masks,
           .variants = linear_attention_variants,
           .operands = linear_operands,
           .refusal = refusal_of_linear,
           .launch = LAUNCHER(launch_linear_attention),
           .count = LAUNCHER(count_linear_attention)},
    Kernel{.name = "elementwise",
           .algorithm = "elementwise",
           .idea = "16-byte accesses, several on their way at once; unfused, a launch for every operation",
           .dtypes = any_precision,
           .tilings = elementwise_tilings,
           .variants = elementwise_variants,
           .operands = chain_operands,
           .refusal = refusal_of_chain,
           .launch = LAUNCHER(launch_elementwise),
           .count = LAUNCHER(count_elementwise)},
    Kernel{.name = "softmax",
           .algorithm = "softmax",
           .idea = "a thread block, or for short rows a warp, takes a row in one to three passes",
           .dtypes = any_precision,
           .tilings = softmax_tilings,
           .variants = softmax_variants,
           .operands = softmax_operands,
           .refusal = refusal_of_rows,
           .launch = LAUNCHER(launch_softmax),
           .count = LAUNCHER(count_softmax)},
    Kernel{.name = "flash1",
           .algorithm = "flash1",
           .idea = "K and V tiles outside, query tiles inside; O, l, m in device memory, the next ones on their way",
           .dtypes = half_precision,
           .tilings = flash1_tilings,
           .masks = structured_masks,
           .o_dtypes = any_precision,
           .operands = flash1_operands,
           .refusal = refusal_of_flash1,
           .prepare = LAUNCHER(prepare_flash1),
           .launch = LAUNCHER(launch_flash1),
           .count = LAUNCHER(count_flash1)},
    Kernel{.name = "standard",
           .algorithm = "standard_tiled",
           .idea = "three kernels: Q K^T to memory, the softmax of its rows, P V",
           .dtypes = half_precision,
           .tilings = standard_tilings,
           .masks = structured_masks,
           .score_dtypes = half_precision,
           .operands = standard_operands,
           .refusal = refusal_of_standard,
           .launch = LAUNCHER(launch_standard),
           .count = LAUNCHER(count_standard)},
    Kernel{.name = "standard_hopper",
           .algorithm = "standard_tiled",
           .idea = "the same three kernels with the products on Hopper's tensor cores, fed by tensor copies",
           .dtypes = half_precision,
           .tilings = standard_hopper_tilings,
           .masks = structured_masks,
           .score_dtypes = half_precision,
           .operands = standard_operands,
           .refusal = refusal_of_standard_hopper,
           .launch = LAUNCHER(launch_standard_hopper),
           .count = LAUNCHER(count_standard_hopper)},
    Kernel{.name = "flash2_backward",
           .algorithm = "flash2_backward",
           .idea = "K and V tiles outside, dK and dV in registers; mma.sync, P and dS by way of shared memory",
           .dtypes = half_precision,
           .tilings = flash2_backward_tilings,
           .masks = structured_masks,
           .variants = flash2_backward_kernel_variants,
           .operands = flash2_backward_operands,
           .refusal = refusal_of_flash2_backward,
           .repeats = flash2_backward_repeats,
           .launch = LAUNCHER(launch_flash2_backward),
           .count = LAUNCHER(count_flash2_backward)},
    Kernel{
        .name = "flash3_backward",
        .algorithm = "flash2_backward",
        .idea = "wgmma, fed by tensor copies; P and dS pass to dV and dK in registers, dQ is added by bulk reductions",
        .dtypes = half_precision,
        .tilings = flash3_backward_tilings,
        .masks = structured_masks,
        .variants = flash3_backward_variants,
        .operands = flash2_backward_operands,
        .refusal = refusal_of_flash2_backward,
        .repeats = flash3_backward_repeats,
        .launch = LAUNCHER(launch_flash3_backward),
        .count = LAUNCHER(count_flash3_backward)},
    Kernel{.name = "flash1_backward",
           .algorithm = "flash1_backward",
           .idea = "a thread block a stream: K and V tiles outside, dQ in device memory, D again at every visit",
           .dtypes = half_precision,
           .tilings = flash1_backward_tilings,
           .masks = structured_masks,
           .o_dtypes = any_precision,
           .operands = flash1_backward_operands,
           .refusal = refusal_of_flash1_backward,
           .prepare = LAUNCHER(prepare_flash1_backward),
           .launch = LAUNCHER(launch_flash1_backward),
           .count = LAUNCHER(count_flash1_backward)},
    Kernel{.name = "standard_backward",
           .algorithm = "standard_backward",
           .idea = "five kernels, a thread block a stream in each product, whose one operand stays on chip as a whole",
           .dtypes = half_precision,
           .tilings = standard_backward_tilings,
           .masks = structured_masks,
           .score_dtypes = half_precision,
           .operands = standard_backward_operands,
           .refusal = refusal_of_standard_backward,
           .launch = LAUNCHER(launch_standard_backward),
           .count = LAUNCHER(count_standard_backward)},
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
               [&](const auto& own) { return agree(own, point, head_sizes); });
  return tilings;
}

/// The first reason against `problem`, without the kernel's name.
std::optional<std::string> reason_against(const Kernel& kernel, const Problem& problem) {
  const std::span<const DType> stat_dtypes = single_precision;
  if (auto reason = unless_listed("--dtype ", problem.dtype, kernel.dtypes)) return reason;
  if (auto reason = unless_listed("--stat-dtype ", problem.stat_dtype, stat_dtypes)) return reason;
  if (auto reason = unless_listed("--score-dtype ", problem.score_dtype, kernel.score_dtypes)) return reason;
  if (auto reason = unless_listed("--o-dtype ", problem.o_dtype, kernel.o_dtypes)) return reason;
  if (kernel.masks.empty()) return std::nullopt;
  if (auto reason = unless_listed("", problem.packing, kernel.packings)) return reason;
  if (auto reason = unless_listed("--mask ", problem.mask.kind, kernel.masks)) return reason;
  return unless_compiled({kernel.tilings.begin(), kernel.tilings.end()},
                         {.problem = problem, .tiling = {}, .options = {}}, head_sizes, "/");
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

std::span<const Kernel> catalog() { return kernels; }

const Kernel& kernel_named(std::string_view name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == name; });
  if (found != kernels.end()) return *found;
  for (const Kernel& rung : flash3_ladder()) {
    if (rung.name == name) return rung;
  }
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

bool matches(const KernelTiling& tiling, const Case& point) {
  return agree(tiling, point, head_sizes) && agree(tiling, point, tile_sizes);
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
