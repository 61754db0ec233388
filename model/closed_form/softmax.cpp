#include "model/closed_form/softmax.hpp"

#include <algorithm>
#include <tuple>

#include "model/closed_form/batch.hpp"
#include "model/closed_form/bill.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

/// Passes over a row that read it, and exponentials an element.
struct RowPasses {
  Count reads;
  Count scores;
};

RowPasses passes_of(Variant variant) {
  switch (variant) {
    case Variant::safe:
      return {3, 2};
    case Variant::online:
    case Variant::naive:
      return {2, 2};
    default:
      return {1, 1};
  }
}

}  // namespace

Work softmax_bill(const Case& point) {
  const auto& [rows, cols] = std::tie(point.shapes.rows, point.shapes.cols);
  const Variant variant = *point.options.variant;
  const RowPasses passes = passes_of(variant);
  Bill bill(one_stream_a_problem(point.problem));
  bill.read(TensorName::X, {rows, cols, passes.reads});
  bill.write(TensorName::Y, {rows, cols});
  bill.score_exponentials({rows, cols, passes.scores});
  if (variant == Variant::online) bill.rescale_exponentials({rows, cols - 1});
  return bill.work();
}

Work softmax_compulsory(const Case& point) {
  Bill bill(one_stream_a_problem(point.problem));
  bill.read(TensorName::X, {point.shapes.rows, point.shapes.cols});
  bill.write(TensorName::Y, {point.shapes.rows, point.shapes.cols});
  return bill.work();
}

std::string softmax_expression(const Case& point) {
  const Count accesses = passes_of(*point.options.variant).reads + 1;
  return over_batch(point.problem, std::to_string(accesses) + " rows cols");
}

std::vector<KernelTiles> softmax_tiles(const Case& point) {
  const Variant variant = *point.options.variant;
  const Count cols = point.shapes.cols;
  const Count piece = variant == Variant::resident ? cols : std::min(point.tiling.block_k, cols);
  std::vector<OnChipTile> tiles = {accumulator_tile("X", 1, piece, point), accumulator_tile("l", 1, 1, point)};
  if (variant != Variant::naive) tiles.push_back(accumulator_tile("m", 1, 1, point));
  return {{"softmax", std::move(tiles)}};
}

}  // namespace tilemeter
