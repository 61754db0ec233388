#include "kernels/catalog.hpp"

#include <array>

#include "kernels/elementwise.hpp"
#include "kernels/flash1.hpp"
#include "kernels/flash1_backward.hpp"
#include "kernels/flash2.hpp"
#include "kernels/flash2_backward.hpp"
#include "kernels/flash2_plain.hpp"
#include "kernels/flash3.hpp"
#include "kernels/flash3_backward.hpp"
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
constexpr std::array half_precision_or_fp8 = {DType::fp16, DType::bf16, DType::fp8};
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
           .dtypes = half_precision_or_fp8,
           .tilings = flash3_tilings,
           .masks = structured_masks,
           .operands = flash3_operands,
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

}  // namespace

std::span<const Kernel> catalog() { return kernels; }

}  // namespace tilemeter::kernels
