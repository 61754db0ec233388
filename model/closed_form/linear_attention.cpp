#include "model/closed_form/linear_attention.hpp"

#include <algorithm>

#include "model/closed_form/bill.hpp"
#include "model/closed_form/expression.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

Variant linear_variant_of(const Case& point) { return point.options.variant.value_or(linear_attention_variant(point)); }

/// Sum of the squares of the chunks of N rows.
Wide squared_chunks(Count rows, Count chunk) {
  const Wide full = rows / chunk;
  const Wide rest = rows % chunk;
  return full * chunk * chunk + rest * rest;
}

std::string refuse_mask_of_state(std::string_view name, const Case& point) {
  const MaskKind mask = point.problem.mask.kind;
  if (mask == MaskKind::none) return "";
  return "--mask " + std::string(name_of(mask)) + " with --variant " + std::string(name_of(linear_variant_of(point))) +
         ": " + std::string(name) +
         " sums its state over all keys; causal_chunks takes the causal mask, scores takes any";
}

std::string refuse_all_but_causal(std::string_view name, const Case& point) {
  const Problem& problem = point.problem;
  if (problem.mask.kind != MaskKind::causal) {
    return "--variant causal_chunks with --mask " + std::string(name_of(problem.mask.kind)) + ": " + std::string(name) +
           " needs --causal for it";
  }
  if (problem.seq_q == problem.seq_k) return "";
  return "--variant causal_chunks with --seq-q " + std::to_string(problem.seq_q) + " --seq-k " +
         std::to_string(problem.seq_k) + ": " + std::string(name) + " needs equal lengths for it; scores takes any";
}

struct Parts {
  OnChipTile q, k, v, o, state;
};

Parts parts_of(const Case& point) {
  const Problem& problem = point.problem;
  const Count d = problem.head_dim;
  const Count d_v = problem.head_dim_v;
  const Count rows = std::min(point.options.chunk, problem.rows());
  const Count keys = std::min(point.options.chunk, problem.seq_k);
  return {operand_tile("Q", rows, d, point), operand_tile("K", keys, d, point), operand_tile("V", keys, d_v, point),
          accumulator_tile("O", rows, d_v, point), accumulator_tile("KV", d, d_v, point)};
}

}  // namespace

Variant linear_attention_variant(const Case& point) {
  return point.problem.mask.kind == MaskKind::causal ? Variant::causal_chunks : Variant::state;
}

std::string refuse_linear_attention(std::string_view name, const Case& point) {
  if (std::string reason = refuse_packing(name, point); !reason.empty()) return reason;
  switch (linear_variant_of(point)) {
    case Variant::state:
    case Variant::state_memory:
      return refuse_mask_of_state(name, point);
    case Variant::causal_chunks:
      return refuse_all_but_causal(name, point);
    default:
      return "";
  }
}

Work linear_attention_bill(const Case& point) {
  const Problem& problem = point.problem;
  const Variant variant = linear_variant_of(point);
  const Wide rows = problem.rows();
  const Wide keys = problem.seq_k;
  const Wide state = Wide(problem.head_dim) * problem.head_dim_v;
  const Wide width = Wide(problem.head_dim) + problem.head_dim_v;

  Bill bill(problem);
  if (problem.seq_q == 0) return bill.work();
  bill.read(TensorName::Q, {rows, problem.head_dim});
  bill.read(TensorName::K, {keys, problem.head_dim});
  bill.read(TensorName::V, {keys, problem.head_dim_v});
  bill.write(TensorName::O, {rows, problem.head_dim_v});
  if (variant == Variant::scores) {
    bill.write(TensorName::S, {rows, keys});
    bill.read(TensorName::S, {rows, keys});
    bill.multiply_add({rows, keys, width});
    return bill.work();
  }
  if (variant == Variant::state_memory) {
    bill.write(TensorName::KV, {state});
    bill.read(TensorName::KV, {state});
  }
  if (variant != Variant::causal_chunks) {
    bill.multiply_add({rows + keys, state});
    return bill.work();
  }
  const Wide in_chunks =
      named("matmul_flops", [&] { return squared_chunks(problem.seq_q, point.options.chunk) * width; });
  bill.multiply_add({named("matmul_flops", [&] { return (rows + keys) * state + in_chunks; })});
  return bill.work();
}

std::string linear_attention_expression(const Case& point) {
  const Problem& problem = point.problem;
  std::string sum = is_textbook(problem) ? "4Nd" : "(Nq + Nk)(d + dv)";
  if (linear_variant_of(point) == Variant::scores) sum += is_textbook(problem) ? " + 2N^2" : " + 2 Nq Nk";
  if (linear_variant_of(point) == Variant::state_memory) sum += is_textbook(problem) ? " + 2d^2" : " + 2 d dv";
  return over_streams(problem, sum);
}

std::vector<KernelTiles> linear_attention_tiles(const Case& point) {
  const auto [q, k, v, o, state] = parts_of(point);
  switch (linear_variant_of(point)) {
    case Variant::state:
      return {{"linear_attention", {q, k, v, o, state}}};
    case Variant::state_memory:
      return {{"state", {k, v, state}}, {"output", {q, o, state}}};
    case Variant::causal_chunks:
      return {{"linear_attention", {q, k, v, o, state, accumulator_tile("S", q.rows, k.rows, point)}}};
    default:
      return {};
  }
}

}  // namespace tilemeter
