#include "model/closed_form/gradients.hpp"

#include "model/closed_form/bill.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

Problem with_one_stream_per_kv_head(Problem problem) {
  problem.heads = problem.kv_heads;
  return problem;
}

}  // namespace

bool expands_key_gradients(const Problem& problem) {
  return problem.packing == Packing::unpacked && problem.group() > 1;
}

Work key_gradients_bill(const Problem& problem, Count writes) {
  Bill reduced(with_one_stream_per_kv_head(problem));
  const bool expands = expands_key_gradients(problem);
  reduced.write(TensorName::dK, {expands ? Count{1} : writes, problem.seq_k, problem.head_dim});
  reduced.write(TensorName::dV, {expands ? Count{1} : writes, problem.seq_k, problem.head_dim_v});
  Work work = reduced.work();
  if (!expands) return work;
  Bill expanded(problem);
  expanded.write(TensorName::dKx, {writes, problem.seq_k, problem.head_dim});
  expanded.write(TensorName::dVx, {writes, problem.seq_k, problem.head_dim_v});
  expanded.read(TensorName::dKx, {problem.seq_k, problem.head_dim});
  expanded.read(TensorName::dVx, {problem.seq_k, problem.head_dim_v});
  add(work, expanded.work());
  return work;
}

std::string key_gradients_terms(const Problem& problem) {
  return expands_key_gradients(problem) ? " + (1 + 1/g)Nk(d + dv) [sum over the g heads of a group]" : "";
}

Count accumulation_buffers(const Case& point) {
  const bool accumulates = point.options.variant.value_or(Variant::atomics) == Variant::atomics;
  if (!accumulates || point.options.accumulation == Accumulation::unordered) return 1;
  const Count sms = ceil_div(point.options.split_slots, Count{2});
  return point.options.splits.value_or(ceil_div(sms, point.problem.streams()));
}

std::vector<OnChipTile> key_gradient_tiles(const Case& point, QueryGradient query_gradient) {
  const auto [rows, keys] = clipped(point);
  const Count d = point.problem.head_dim;
  const Count d_v = point.problem.head_dim_v;
  std::vector<OnChipTile> tiles = {operand_tile("Q", rows, d, point), operand_tile("dO", rows, d_v, point)};
  if (query_gradient == QueryGradient::on_chip) tiles.push_back(accumulator_tile("dQ", rows, d, point));
  tiles.insert(tiles.end(), {operand_tile("K", keys, d, point), operand_tile("V", keys, d_v, point),
                             accumulator_tile("dK", keys, d, point), accumulator_tile("dV", keys, d_v, point),
                             accumulator_tile("S", rows, keys, point), accumulator_tile("dP", rows, keys, point)});
  return tiles;
}

}  // namespace tilemeter
