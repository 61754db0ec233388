#include "model/closed_form/gemm.hpp"

#include <algorithm>
#include <tuple>

#include "model/closed_form/batch.hpp"
#include "model/closed_form/bill.hpp"
#include "model/closed_form/tiles.hpp"

namespace tilemeter {
namespace {

/// How often each tensor crosses the edge of the SM, as multiples of its size.
struct Passes {
  Wide a_read;
  Wide b_read;
  Wide c_read;
  Wide c_written;
};

Passes passes_of(const Case& point) {
  const Wide m_tiles = ceil_div(point.shapes.m, point.tiling.block_m);
  const Wide n_tiles = ceil_div(point.shapes.n, point.tiling.block_n);
  const Wide k_tiles = ceil_div(point.shapes.k, point.tiling.block_k);
  switch (gemm_order_of(point)) {
    case GemmOrder::c_stationary:
      return {n_tiles, m_tiles, 0, 1};
    case GemmOrder::a_stationary:
      return {1, m_tiles, k_tiles - 1, k_tiles};
    case GemmOrder::b_stationary:
      return {n_tiles, 1, k_tiles - 1, k_tiles};
    case GemmOrder::no_reuse:
      return {n_tiles, m_tiles, k_tiles, k_tiles};
  }
  return {};
}

}  // namespace

GemmOrder gemm_order_of(const Case& point) { return point.options.gemm_order.value_or(GemmOrder::c_stationary); }

Count gemm_roundings(const Case& point) {
  const bool at_once = gemm_order_of(point) == GemmOrder::c_stationary;
  return at_once ? 1 : ceil_div(point.shapes.k, point.tiling.block_k);
}

std::string refuse_gemm(std::string_view name, const Case& point) {
  if (point.tiling.stages == 1 || gemm_order_of(point) == GemmOrder::c_stationary) return "";
  return std::string(name) + ": --stages " + std::to_string(point.tiling.stages) +
         ": only --order c has a ring of stages; other orders take 1";
}

Work gemm_bill(const Case& point) {
  const auto& [m, n, k] = std::tie(point.shapes.m, point.shapes.n, point.shapes.k);
  const Tiling& tiling = point.tiling;
  const Passes passes = passes_of(point);
  Bill bill(one_stream_a_problem(point.problem));
  bill.read(TensorName::A, {m, k, passes.a_read});
  bill.read(TensorName::B, {k, n, passes.b_read});
  bill.read(TensorName::C, {m, n, passes.c_read});
  bill.write(TensorName::C, {m, n, passes.c_written});
  bill.multiply_add({m, n, k});
  bill.tiles({ceil_div(m, tiling.block_m), ceil_div(n, tiling.block_n), ceil_div(k, tiling.block_k)});
  return bill.work();
}

Work gemm_compulsory(const Case& point) {
  const Shapes& shapes = point.shapes;
  Bill bill(one_stream_a_problem(point.problem));
  bill.read(TensorName::A, {shapes.m, shapes.k});
  bill.read(TensorName::B, {shapes.k, shapes.n});
  bill.write(TensorName::C, {shapes.m, shapes.n});
  return bill.work();
}

std::string gemm_expression(const Case& point) {
  switch (gemm_order_of(point)) {
    case GemmOrder::c_stationary:
      return over_batch(point.problem, "mk Tn + kn Tm + mn");
    case GemmOrder::a_stationary:
      return over_batch(point.problem, "mk + kn Tm + mn(2Tk - 1)");
    case GemmOrder::b_stationary:
      return over_batch(point.problem, "mk Tn + kn + mn(2Tk - 1)");
    case GemmOrder::no_reuse:
      return over_batch(point.problem, "mk Tn + kn Tm + 2mn Tk");
  }
  return "";
}

std::vector<KernelTiles> gemm_tiles(const Case& point) {
  const Count m = std::min(point.tiling.block_m, point.shapes.m);
  const Count n = std::min(point.tiling.block_n, point.shapes.n);
  const Count k = std::min(point.tiling.block_k, point.shapes.k);
  const Count stages = point.tiling.stages;
  return {{"gemm",
           {operand_tile("A", m, k, point, stages), operand_tile("B", k, n, point, stages),
            accumulator_tile("C", m, n, point)}}};
}

}  // namespace tilemeter
