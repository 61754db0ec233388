// A GEMM by what stays on chip, and the least that it can move over the memory on chip.
#include "model/gemm_search.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

Case product() {
  Case point;
  point.shapes = {.m = 512, .n = 512, .k = 64};
  return point;
}

std::string tile_of(const Tiling& tiling) {
  return "(" + std::to_string(tiling.block_m) + ", " + std::to_string(tiling.block_n) + ", " +
         std::to_string(tiling.block_k) + ")";
}

/// Reads and writes, worked out by hand: Tm = Tn = 32, Tk = 4.
struct Reference {
  Count a;
  Count b;
  Count c_read;
  Count c_written;
};

std::vector<Cell> cells_of(std::string text, const Case& point, const Work& work, const Billed& billed) {
  return {std::move(text),
          std::string(name_of(*point.options.gemm_order)),
          tile_of(point.tiling),
          work[TensorName::A].read.value(),
          work[TensorName::B].read.value(),
          work[TensorName::C].read.value(),
          work[TensorName::C].write.value(),
          billed.elements(),
          elements_cell(billed.needed)};
}

void add_order(Table& table, GemmOrder order, const Reference& reference) {
  Case point = with_product_tiles(product(), 16, 16, 16);
  point.options.gemm_order = order;
  const Billed billed = bill("gemm", point);
  const Work& work = billed.counted;
  Judge judge(table, std::string(name_of(order)));
  judge.counts(work, billed.closed)
      .equal("A read", work[TensorName::A].read.value(), reference.a)
      .equal("B read", work[TensorName::B].read.value(), reference.b)
      .equal("C read", work[TensorName::C].read.value(), reference.c_read)
      .equal("C written", work[TensorName::C].write.value(), reference.c_written);
  table.rows.push_back(cells_of("tiles given", point, work, billed));
  table.rows.back().emplace_back(judge.verdict());
}

void add_least(Table& table, Count capacity, Count reference) {
  Case point = ruled("gemm", product(), BlockRule::optimum, capacity);
  point.options.gemm_order = least_traffic_order(point);
  const Billed billed = bill("gemm", point);
  const std::string text = "least at M = " + std::to_string(capacity);
  Judge judge(table, text);
  judge.counts(billed.counted, billed.closed).equal("total", billed.elements(), reference);
  table.rows.push_back(cells_of(text, point, billed.counted, billed));
  table.rows.back().emplace_back(judge.verdict());
}

}  // namespace

Table gemm_orders() {
  Table table;
  table.columns = {{"case", ""},
                   {"order", ""},
                   {"tile", "m, n, k"},
                   {"A read", "elements"},
                   {"B read", "elements"},
                   {"C read", "elements"},
                   {"C written", "elements"},
                   {"total", "elements"},
                   {"on chip", "elements"},
                   {"verdict", ""}};
  add_order(table, GemmOrder::c_stationary, {1048576, 1048576, 0, 262144});
  add_order(table, GemmOrder::a_stationary, {32768, 1048576, 786432, 1048576});
  add_order(table, GemmOrder::b_stationary, {1048576, 32768, 786432, 1048576});
  add_order(table, GemmOrder::no_reuse, {1048576, 1048576, 1048576, 1048576});
  add_least(table, 560, 1769472);
  add_least(table, 2144, 819200);
  add_least(table, 8384, 425984);
  add_least(table, 33344, 327680);
  table.notes = {"m = n = 512, k = 64; the least is over all tiles and orders whose A, B and C tiles fit M"};
  return table;
}

}  // namespace tilemeter::tables
