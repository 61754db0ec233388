#include "model/closed_form/elementwise.hpp"

#include <algorithm>
#include <tuple>

#include "model/closed_form/batch.hpp"
#include "model/closed_form/bill.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

bool is_fused(const Case& point) { return point.options.variant == Variant::fused; }

/// Reads of X and the side inputs; Y is read `y_reads` and written `y_writes` times.
Work work_of(const Case& point, Wide y_reads, Wide y_writes) {
  const Wide length = point.shapes.length;
  Bill bill(one_stream_a_problem(point.problem));
  bill.read(TensorName::X, {length});
  bill.read(TensorName::side, {length, point.options.side_inputs});
  bill.read(TensorName::Y, {length, y_reads});
  bill.write(TensorName::Y, {length, y_writes});
  return bill.work();
}

}  // namespace

Work elementwise_bill(const Case& point) {
  const Wide ops = point.options.ops;
  return is_fused(point) ? work_of(point, 0, 1) : work_of(point, ops - 1, ops);
}

Work elementwise_compulsory(const Case& point) { return work_of(point, 0, 1); }

std::string elementwise_expression(const Case& point) {
  const std::string side = point.options.side_inputs > 0 ? " + sN" : "";
  return over_batch(point.problem, (is_fused(point) ? "2N" : "2kN") + side);
}

std::vector<KernelTiles> elementwise_tiles(const Case& point) {
  const Count piece = std::min(point.tiling.block_k, point.shapes.length);
  std::vector<OnChipTile> tiles = {accumulator_tile("Y", 1, piece, point)};
  if (point.options.side_inputs > 0) tiles.push_back(accumulator_tile("side", 1, piece, point));
  return {{"elementwise", std::move(tiles)}};
}

std::string refuse_side_inputs(std::string_view, const Case& point) {
  const auto& [sides, ops] = std::tie(point.options.side_inputs, point.options.ops);
  if (sides <= ops) return "";
  return "--side-inputs " + std::to_string(sides) + ": expected at most --ops " + std::to_string(ops) +
         ", one an operation";
}

Count elementwise_roundings(const Case& point) { return is_fused(point) ? 1 : point.options.ops; }

}  // namespace tilemeter
