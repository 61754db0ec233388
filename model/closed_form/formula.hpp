// What the model knows about an algorithm: one row of the catalog of closed forms.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/on_chip.hpp"
#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// The function that an algorithm evaluates; algorithms of one computation read the same inputs and agree in their
/// outputs.
enum class Computation {
  attention,         ///< O, and LSE, of Q K V
  gradients,         ///< dQ dK dV of Q K V O dO and the statistics
  linear_attention,  ///< O of Q K V without a softmax
  gemm,              ///< C = A B
  layer,             ///< Y = X W with weights of a type of their own
  softmax,           ///< Y = softmax(X), row by row
  chain              ///< Y of X and the side inputs, by elementwise operations
};

/// Whether points of the computation have lengths, heads and masks (Case::problem), or sizes of their own
/// (Case::shapes).
constexpr bool has_sequences(Computation computation) {
  return computation == Computation::attention || computation == Computation::gradients ||
         computation == Computation::linear_attention;
}

/// How an algorithm walks its iteration space; decides which tile rules apply. `gemm` is standard_tiled's three kernels
/// of GEMM tiles, `product` a single GEMM, `chunks` two chunk sizes, of which the key chunk is given, `outer_product`
/// two products in steps of one along their inner dimension, `recurrent` chunks of rows that pass by a state
/// (Options::chunk in the place of tile sizes), `pieces` rows in pieces of block_k elements.
enum class LoopOrder { untiled, kv_outer, q_outer, gemm, product, chunks, outer_product, recurrent, pieces };

/// What an algorithm computes under a mask: all scores, or the tiles with a visible pair.
enum class Coverage { full_rectangle, visited_tiles };

/// The type in memory of the output: the operands', or that of an output that the algorithm reads back (`o_dtype`).
enum class OutputType { operand, read_back };

/// The output that an algorithm of the computation may read back, and stores as o_dtype if it does: O, or dQ of the
/// gradients.
constexpr TensorName accumulated_output(Computation computation) {
  return computation == Computation::gradients ? TensorName::dQ : TensorName::O;
}

/// The tiles of each kernel that an algorithm launches, in the order of allocation.
struct KernelTiles {
  std::string_view kernel;
  std::vector<OnChipTile> tiles;
};

/// What an algorithm needs at once beside its inputs and its output, wherever it lies.
struct Workspace {
  Elements elements{};
  Bytes bytes{};
};

/// One algorithm. Every function takes a point that `accepted` has passed.
struct Formula {
  std::string_view name;
  Computation computation = Computation::attention;
  LoopOrder order = LoopOrder::untiled;
  Coverage coverage = Coverage::full_rectangle;
  OutputType output = OutputType::operand;
  Count stages = 1;                     ///< default depth of the K/V ring
  std::span<const Variant> variants{};  ///< the first is the default; empty when there is only one version
  /// Why the algorithm does not take a point ("--packed: ..."), empty when it does. `name` is for the message.
  std::string (*refusal)(std::string_view name, const Case&) = nullptr;
  Work (*bill)(const Case&) = nullptr;
  std::string (*expression)(const Case&) = nullptr;
  std::vector<KernelTiles> (*tiles)(const Case&) = nullptr;
  /// The variant of a point that names none; the first of `variants` when absent.
  Variant (*default_variant)(const Case&) = nullptr;
  /// Absent for algorithms whose extra memory is no subject of theirs.
  Workspace (*workspace)(const Case&) = nullptr;
};

/// Refusals that many algorithms share.
std::string refuse_nothing(std::string_view name, const Case& point);
/// Takes every mask but an arbitrary one.
std::string refuse_arbitrary_mask(std::string_view name, const Case& point);
/// Takes no mask.
std::string refuse_masks(std::string_view name, const Case& point);
/// Takes no packed rows.
std::string refuse_packing(std::string_view name, const Case& point);

/// The first of two refusals that says something.
template <auto First, auto Second>
std::string refuse_either(std::string_view name, const Case& point) {
  std::string reason = First(name, point);
  return reason.empty() ? Second(name, point) : reason;
}

/// Algorithms without tiles of their own.
std::vector<KernelTiles> no_tiles(const Case& point);

/// The point with defaults filled in (the variant). Throws InputError for sizes out of range, a variant that the
/// algorithm does not have, and points that it refuses.
Case accepted(const Formula& formula, const Case& point);

}  // namespace tilemeter
