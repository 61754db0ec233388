#include "model/closed_form/weight_layer.hpp"

#include <algorithm>

#include "model/closed_form/batch.hpp"
#include "model/closed_form/bill.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

Count groups_of(const Case& point) {
  const Count size = point.options.group_size;
  return size == 0 ? 0 : ceil_div(point.shapes.d_in, size);
}

/// Reads and writes with X read `x_passes` times and the weights `w_passes` times.
Work work_of(const Case& point, Wide x_passes, Wide w_passes) {
  const Shapes& shapes = point.shapes;
  Bill bill(one_stream_a_problem(point.problem));
  bill.read(TensorName::X, {shapes.tokens, shapes.d_in, x_passes});
  bill.read_rows(TensorName::W, {shapes.d_out, w_passes}, shapes.d_in, dtype_of(TensorName::W, point));
  bill.read_rows(TensorName::scales, {shapes.d_out, w_passes}, groups_of(point), dtype_of(TensorName::scales, point));
  bill.write(TensorName::Y, {shapes.tokens, shapes.d_out});
  return bill.work();
}

/// Tiles of W along d_in.
Wide steps_of(const Case& point) {
  const WeightWalk walk = weight_walk_of(point);
  const Count whole = point.shapes.d_in / walk.span;
  const Count rest = point.shapes.d_in % walk.span;
  return Wide(whole) * Wide(ceil_div(walk.span, walk.step)) + Wide(ceil_div(rest, walk.step));
}

}  // namespace

double largest_weight_of(WeightType type) { return type == WeightType::int8 ? 127 : 7; }

double whole_scale(WeightType type) {
  constexpr double largest_normal = 4;  // but for 1 in 16,000
  return type == WeightType::bf16 ? 1 : largest_normal / largest_weight_of(type);
}

WeightWalk weight_walk_of(const Case& point) {
  const Count group = std::min(point.options.group_size, point.shapes.d_in);
  Count step = std::min(point.tiling.block_k, point.shapes.d_in);
  if (group > 0 && step > group) step -= step % group;
  if (point.options.weight_type == WeightType::int4 && step < point.shapes.d_in) step += step % 2;
  const Count span = std::max(step, group);
  return {.span = span, .step = step, .groups = group == 0 ? 0 : ceil_div(span, group)};
}

Work weight_layer_bill(const Case& point) {
  const Shapes& shapes = point.shapes;
  const Wide m_tiles = ceil_div(shapes.tokens, point.tiling.block_m);
  const Wide n_tiles = ceil_div(shapes.d_out, point.tiling.block_n);
  Bill products(one_stream_a_problem(point.problem));
  products.multiply_add({shapes.tokens, shapes.d_in, shapes.d_out});
  products.tiles({m_tiles, n_tiles, steps_of(point)});
  Work work = work_of(point, n_tiles, m_tiles);
  add(work, products.work());
  return work;
}

Work weight_layer_compulsory(const Case& point) { return work_of(point, 1, 1); }

std::string weight_layer_expression(const Case& point) {
  const std::string scales = groups_of(point) > 0 ? " + ceil(d_in/G) d_out Tm" : "";
  return over_batch(point.problem, "tokens d_in Tn + d_in d_out Tm" + scales + " + tokens d_out");
}

std::vector<KernelTiles> weight_layer_tiles(const Case& point) {
  const Count tokens = std::min(point.tiling.block_m, point.shapes.tokens);
  const Count features = std::min(point.tiling.block_n, point.shapes.d_out);
  const WeightWalk walk = weight_walk_of(point);
  const auto weight_tile = [&](std::string name, TensorName tensor, Count cols) {
    OnChipTile tile = operand_tile(std::move(name), features, cols, point);
    tile.dtype = dtype_of(tensor, point);
    return tile;
  };
  std::vector<OnChipTile> tiles = {operand_tile("X", tokens, walk.step, point),
                                   weight_tile("W", TensorName::W, walk.step)};
  if (walk.groups > 0) tiles.push_back(weight_tile("scales", TensorName::scales, walk.groups));
  tiles.push_back(accumulator_tile("Y", tokens, features, point));
  return {{"weight_layer", std::move(tiles)}};
}

std::string refuse_weight_groups(std::string_view, const Case& point) {
  const Count group = point.options.group_size;
  if (group == 0) return "";
  const std::string given = "--group-size " + std::to_string(group);
  if (point.options.weight_type == WeightType::bf16) {
    return given + ": weights in bf16 have no scales; add --weight-dtype int8 or int4, or leave it out";
  }
  if (point.options.weight_type == WeightType::int8 || group % 2 == 0) return "";
  return given + ": two int4 weights share a byte, so a group holds an even number of them";
}

}  // namespace tilemeter
