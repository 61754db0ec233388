// What to compute, which (query, key) pairs count, and in what pieces.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"
#include "model/units.hpp"

namespace tilemeter {

enum class MaskKind { none, causal, causal_top_left, window, arbitrary };  ///< which keys a query sees, in kind

/// Visibility of any pair, row-major (seq_q x seq_k); only algorithms that materialise the scores take one.
struct PairMatrix {
  Count rows = 0;
  Count cols = 0;
  std::vector<bool> visible;
  bool at(Count row, Count col) const { return visible[static_cast<std::size_t>(row * cols + col)]; }
};

/// Which keys a query sees. Causal and window are bottom-right aligned: row r sits at key position r + seq_k - seq_q.
struct Mask {
  MaskKind kind = MaskKind::none;
  std::optional<Count> left{};                ///< window only: keys before the row's own position; nullopt is unlimited
  std::optional<Count> right{};               ///< window only: keys after it
  std::shared_ptr<const PairMatrix> pairs{};  ///< arbitrary only
};

std::string_view name_of(MaskKind kind);

/// Whether the g query heads that share a K/V head are g streams, or one stream of g * seq_q rows.
enum class Packing { unpacked, packed };

/// An attention problem. Row counts are per head; Q, K rows carry head_dim elements and V, O rows head_dim_v.
struct Problem {
  Count batch = 1;        ///< sequences
  Count heads = 1;        ///< of queries
  Count kv_heads = 1;     ///< of keys and values; divides `heads`
  Count seq_q = 1;        ///< rows of Q and O
  Count seq_k = 1;        ///< rows of K and V
  Count head_dim = 64;    ///< elements of a row of Q and K
  Count head_dim_v = 64;  ///< elements of a row of V and O
  Mask mask{};
  Packing packing = Packing::unpacked;
  DType dtype = DType::fp16;        ///< operands Q K V O
  DType stat_dtype = DType::fp32;   ///< l m LSE D, and accumulators: dQacc, partial results
  DType score_dtype = DType::fp16;  ///< S P E Pd dP dS, where they go to memory
  DType o_dtype = DType::fp16;      ///< O, or dQ in a backward pass, where the algorithm reads it back
  DType fp8_output = DType::fp8;    ///< O of fp8 operands where it is not read back

  /// Query heads per K/V head.
  Count group() const { return heads / kv_heads; }
  /// Rows of one stream: seq_q, or group * seq_q when packed.
  Count rows() const;
  /// Independent streams of row blocks: batch * heads, or batch * kv_heads when packed.
  Count streams() const;
};

/// Throws InputError that names the first option at fault: sizes below 1 (seq_k below 0), heads not a multiple of
/// kv_heads, negative windows, a pair matrix of the wrong shape. `seq_q` may be 0 only inside a list of segments.
void validate(const Problem& problem);

/// Throws InputError "OPTION VALUE: must be at least MINIMUM".
void require_at_least(Count value, Count minimum, std::string_view option);

/// How the tile sizes were chosen.
enum class BlockRule { given, paper, fit, optimum, standard };
std::string_view name_of(BlockRule rule);  ///< `standard` prints as "default"

/// Tile sizes as asked for; tiles larger than the problem are clipped to it where they are allocated.
struct Tiling {
  Count block_q = 128;  ///< query rows; the query chunk of chunked algorithms
  Count block_k = 128;  ///< keys; the key chunk of chunked algorithms; the inner dimension of a GEMM; elements of a row
  Count block_d = 0;    ///< GEMM tiles of standard_tiled along the head dimension; 0 is the whole head dimension
  Count block_m = 128;  ///< rows of a GEMM's C
  Count block_n = 128;  ///< its columns
  Count stages = 1;     ///< depth of the K/V ring
  BlockRule rule = BlockRule::standard;
};

/// Throws InputError for sizes and stages below 1 (block_d below 0).
void validate(const Tiling& tiling);

/// Sizes of the algorithms that are not attention; each reads its own.
struct Shapes {
  Count m = 1;       ///< gemm: C (m x n) = A (m x k) B (k x n)
  Count n = 1;       ///< ...
  Count k = 1;       ///< ...
  Count tokens = 1;  ///< weight_layer: Y (tokens x d_out) = X (tokens x d_in) W (d_in x d_out)
  Count d_in = 1;    ///< ...
  Count d_out = 1;   ///< ...
  Count rows = 1;    ///< softmax: rows of `cols` elements
  Count cols = 1;    ///< ...
  Count length = 1;  ///< elementwise: elements of each tensor of the chain
};

enum class MaskShape { row, full };                     ///< of an added mask in memory: 1 x N_k, or N_q x N_k
enum class StatisticsInit { not_counted, counted };     ///< whether initial values in memory are part of the bill
enum class FirstVisit { reads_state, elides_read };     ///< of a row block, of O, l and m
enum class EmptyLse { plus_infinity, minus_infinity };  ///< LSE of a row that sees no key

/// Whether the softmax kernel of standard_tiled keeps a row of S on chip, or makes two passes over it.
enum class RowSoftmax { resident, online };

/// Versions of one algorithm; each lists those that it has (Formula::variants).
enum class Variant {
  atomics,       ///< flash2_backward: dQ by atomic adds
  two_kernels,   ///< ... dQ by a kernel of its own
  onchip,        ///< chunked: summaries of the chunks stay on chip
  fused,         ///< ... they go through memory; elementwise: one kernel
  unfused,       ///< ... scores and weights too; elementwise: a kernel an operation
  naive,         ///< softmax: without the maximum
  safe,          ///< ... three passes
  online,        ///< ... two passes
  resident,      ///< ... a row on chip
  scores,        ///< linear_attention: (Q K^T) V with the scores through memory
  state_memory,  ///< ... Q (K^T V) with the state through memory
  state,         ///< ... the state on chip
  causal_chunks  ///< ... causal, chunk by chunk
};
std::string_view name_of(Variant variant);

/// How dQ of several key tiles comes together.
enum class Accumulation { unordered, deterministic };

/// Classic mistakes of a tiled softmax, made on purpose.
enum class Mistake {
  none,
  no_rescale,          ///< O and l keep their scale when the running maximum grows
  reversed_unguarded,  ///< key tiles in descending order, and no guard for rows that have seen no key
  unguarded            ///< no guard, in the algorithm's own order
};
std::string_view name_of(Mistake mistake);  ///< as --unsafe takes it: "no-rescale", "reverse", "unguarded"; "none"

/// Which operand of a GEMM stays on chip.
enum class GemmOrder { c_stationary, a_stationary, b_stationary, no_reuse };
std::string_view name_of(GemmOrder order);

/// Type of the weights of a layer in memory.
enum class WeightType { bf16, int8, int4 };
constexpr DType dtype_of(WeightType type) {
  return type == WeightType::bf16 ? DType::bf16 : type == WeightType::int8 ? DType::int8 : DType::int4;
}

/// Steps of a backward pass that are kernels of their own.
struct UnfusedGradients {
  bool scale = false;
  bool mask = false;  ///< of a mask that overwrites scores (masked_fill); an added one has the gradient of its sum
  bool dropout = false;
};

/// Choices that belong to single algorithms.
struct Options {
  bool unfused_scale = true;             ///< standard_unfused: the scale is a kernel of its own
  bool unfused_mask = true;              ///< ... the mask
  bool unfused_dropout = true;           ///< ... dropout
  UnfusedGradients unfused_gradients{};  ///< standard_backward
  MaskShape mask_shape = MaskShape::row;
  StatisticsInit init = StatisticsInit::not_counted;  ///< flash1: writing the initial O, l, m; its backward: dQ dK dV
  FirstVisit first_visit = FirstVisit::reads_state;   ///< flash1: whether the first visit of a row block reads O, l, m
  Count row_splits = 1;                               ///< flash1: blocks that share a head's row blocks
  EmptyLse empty_lse = EmptyLse::plus_infinity;       ///< flash2 and its kin: LSE of a row without keys
  RowSoftmax row_softmax = RowSoftmax::resident;      ///< standard_tiled
  std::optional<Variant> variant{};                   ///< absent: the first that the algorithm lists
  Accumulation accumulation = Accumulation::unordered;  ///< flash2_backward
  std::optional<Count> splits{};                        ///< split_kv: absent lets the heuristic choose
  Count split_slots = 216;          ///< blocks that run at once, twice the SMs: split_kv, deterministic flash2_backward
  Count page_size = 0;              ///< split_kv: keys a page of a paged K/V cache; 0: not paged
  Mistake mistake = Mistake::none;  ///< flash1, flash2, flash3
  std::optional<GemmOrder> gemm_order{};  ///< absent: c_stationary, or what moves least where `optimum` chooses tiles
  WeightType weight_type = WeightType::bf16;
  Count group_size = 0;   ///< weight_layer: weights that share a scale; 0: no scales
  Count ops = 1;          ///< elementwise: operations of the chain
  Count side_inputs = 0;  ///< ... of which the first so many read a further tensor
  Count chunk = 64;       ///< linear_attention, causal: rows of a chunk
};

/// One point: everything an algorithm needs to run.
struct Case {
  Problem problem;
  Tiling tiling;
  Options options;
  Shapes shapes{};
};

}  // namespace tilemeter
