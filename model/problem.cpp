#include "model/problem.hpp"

namespace tilemeter {
namespace {

void validate_window(const Mask& mask) {
  for (const auto& side : {mask.left, mask.right}) {
    if (side && *side < 0) {
      throw InputError("--window " + std::to_string(*side) + ": a side is -1 (unlimited), or 0 and more");
    }
  }
}

}  // namespace

void require_at_least(Count value, Count minimum, std::string_view option) {
  if (value >= minimum) return;
  throw InputError(std::string(option) + " " + std::to_string(value) + ": must be at least " + std::to_string(minimum));
}

std::string_view name_of(MaskKind kind) {
  switch (kind) {
    case MaskKind::none:
      return "none";
    case MaskKind::causal:
      return "causal";
    case MaskKind::causal_top_left:
      return "causal_top_left";
    case MaskKind::window:
      return "window";
    case MaskKind::arbitrary:
      return "arbitrary";
  }
  return "";
}

std::string_view name_of(BlockRule rule) {
  switch (rule) {
    case BlockRule::given:
      return "given";
    case BlockRule::paper:
      return "paper";
    case BlockRule::fit:
      return "fit";
    case BlockRule::optimum:
      return "optimum";
    case BlockRule::standard:
      return "default";
  }
  return "";
}

std::string_view name_of(Variant variant) {
  switch (variant) {
    case Variant::atomics:
      return "atomics";
    case Variant::two_kernels:
      return "two_kernels";
    case Variant::onchip:
      return "onchip";
    case Variant::fused:
      return "fused";
    case Variant::unfused:
      return "unfused";
    case Variant::naive:
      return "naive";
    case Variant::safe:
      return "safe";
    case Variant::online:
      return "online";
    case Variant::resident:
      return "resident";
    case Variant::scores:
      return "scores";
    case Variant::state_memory:
      return "state_memory";
    case Variant::state:
      return "state";
    case Variant::causal_chunks:
      return "causal_chunks";
  }
  return "";
}

std::string_view name_of(Mistake mistake) {
  switch (mistake) {
    case Mistake::none:
      return "none";
    case Mistake::no_rescale:
      return "no-rescale";
    case Mistake::reversed_unguarded:
      return "reverse";
    case Mistake::unguarded:
      return "unguarded";
  }
  return "";
}

std::string_view name_of(GemmOrder order) {
  switch (order) {
    case GemmOrder::c_stationary:
      return "c_stationary";
    case GemmOrder::a_stationary:
      return "a_stationary";
    case GemmOrder::b_stationary:
      return "b_stationary";
    case GemmOrder::no_reuse:
      return "no_reuse";
  }
  return "";
}

Count Problem::rows() const {
  return named("the query rows of a packed stream",
               [&] { return packing == Packing::packed ? checked::multiply(seq_q, group()) : seq_q; });
}

Count Problem::streams() const {
  return named("batch x heads",
               [&] { return checked::multiply(batch, packing == Packing::packed ? kv_heads : heads); });
}

void validate(const Problem& problem) {
  require_at_least(problem.batch, 1, "--batch");
  require_at_least(problem.heads, 1, "--heads");
  require_at_least(problem.kv_heads, 1, "--kv-heads");
  require_at_least(problem.seq_q, 0, "--seq-q");
  require_at_least(problem.seq_k, 0, "--seq-k");
  require_at_least(problem.head_dim, 1, "--head-dim");
  require_at_least(problem.head_dim_v, 1, "--head-dim-v");
  if (problem.heads % problem.kv_heads != 0) {
    throw InputError("--heads " + std::to_string(problem.heads) + " is not a multiple of --kv-heads " +
                     std::to_string(problem.kv_heads));
  }
  validate_window(problem.mask);
  const PairMatrix* pairs = problem.mask.pairs.get();
  if ((problem.mask.kind == MaskKind::arbitrary) != (pairs != nullptr) ||
      (pairs != nullptr && (pairs->rows != problem.seq_q || pairs->cols != problem.seq_k))) {
    throw InputError("an arbitrary mask needs a pair matrix of seq_q x seq_k");
  }
}

void validate(const Tiling& tiling) {
  require_at_least(tiling.block_q, 1, "--block-q");
  require_at_least(tiling.block_k, 1, "--block-k");
  require_at_least(tiling.block_d, 0, "--block-d");
  require_at_least(tiling.block_m, 1, "--block-m");
  require_at_least(tiling.block_n, 1, "--block-n");
  require_at_least(tiling.stages, 1, "--stages");
}

}  // namespace tilemeter
