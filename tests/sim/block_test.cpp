// The memory on chip and the folding of loops, on small programs of their own.
#include "sim/block.hpp"

#include "model/closed_form/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/gpu.hpp"
#include "sim/ledger.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

/// Checks that no op reads a tile that nothing has written.
class Dataflow : public Sink {
 public:
  Fold fold() const override { return Fold::none; }
  void begin_block(const BlockInfo&) override { written_.clear(); }
  void op(const Op& op, Count) override {
    for (const TileId tile : op.reads) {
      if (tile != no_tile && std::find(written_.begin(), written_.end(), tile) == written_.end()) ++unwritten_reads;
    }
    for (const TileId tile : op.writes) {
      if (tile != no_tile) written_.push_back(tile);
    }
  }
  void end_block(const std::vector<OnChipTile>&) override {}

  int unwritten_reads = 0;

 private:
  std::vector<TileId> written_;
};

Budget bytes_budget(Count bytes, Placement placement = Placement::sram) {
  return {.placement = placement, .bytes = Bytes(bytes), .owner = "test"};
}

}  // namespace

TEST_CASE("the budget is enforced to the byte, in shared memory and in registers") {
  const auto allocate = [](const Budget& budget) {
    Ledger ledger(Fold::all);
    Gpu<Ghost> gpu(ledger, budget);
    gpu.launch("probe", {.rows = {Run{}}}, [&](Block<Ghost>& block, const Place&) {
      block.shared("Q", {10, 10}, DType::fp16);
      block.registers("O", {10, 10}, DType::fp32);
      block.ring("K", 3, {10, 10}, DType::fp16);
    });
    return ledger.memory().peak;
  };
  const Count shared = 200 + 600;
  const Count registers = 400;
  CHECK(allocate(Budget{}).shared == Bytes(shared));
  CHECK(allocate(Budget{}).registers == Bytes(registers));
  CHECK_NOTHROW(allocate(bytes_budget(shared + registers)));
  CHECK_THROWS_AS(allocate(bytes_budget(shared + registers - 1)), OverCapacity);
  CHECK_NOTHROW(allocate(bytes_budget(shared, Placement::gpu)));
  CHECK_THROWS_AS(allocate(bytes_budget(shared - 1, Placement::gpu)), OverCapacity);
  Budget narrow = bytes_budget(shared, Placement::gpu);
  narrow.registers = Bytes(registers - 1);
  CHECK_THROWS_WITH(allocate(narrow), contains("Q 200") && contains("K 600") && contains("test"));
  narrow.overflowing = Overflowing::counted;
  CHECK_NOTHROW(allocate(narrow));
}

TEST_CASE("a run of steps whose tile counts grow is counted as its sum") {
  // Steps 0..9 visit 1..10 full tiles and, each, one ragged tile.
  const auto range_of = [](Count step) { return TileRange{.first = 9 - step, .last = 11, .extent = 103, .size = 10}; };
  const auto count_with = [&](Fold fold) {
    const Budget unlimited;
    Ledger ledger(fold);
    Gpu<Ghost> gpu(ledger, unlimited);
    Tensor<Ghost>& keys = gpu.tensor(TensorName::K, 1, {103, 4}, DType::fp16);
    gpu.launch(
        "probe", {.streams = 3, .rows = {{.first = 0, .step = 1, .count = 10}}},
        [&](Block<Ghost>& block, const Place& at) {
          auto tile = block.shared("K", {10, 4}, DType::fp16);
          block.tiles(at.row, range_of, [&](const TileSlot& slot) {
            block.load(Phase::load_k, tile, View<Ghost>{.tensor = &keys, .row = slot.begin, .shape = {slot.size, 4}});
          });
        });
    return ledger.work()[TensorName::K].read;
  };
  const Count rows = 3 * (55 * 10 + 10 * 3);
  CHECK(count_with(Fold::none) == Elements(rows * 4));
  CHECK(count_with(Fold::grid) == Elements(rows * 4));
  CHECK(count_with(Fold::all) == Elements(rows * 4));
}

TEST_CASE("no algorithm reads a tile before it is written") {
  for (const Algorithm& algorithm : algorithms()) {
    INFO(algorithm.name);
    Dataflow dataflow;
    const Budget unlimited;
    Gpu<Ghost> gpu(dataflow, unlimited);
    Case point;
    point.problem = {.seq_q = 70, .seq_k = 50, .mask = {.kind = MaskKind::causal}};
    point.tiling = {.block_q = 16, .block_k = 12, .stages = 2};
    algorithm.count(gpu, accepted(algorithm.formula(), adapted(point, algorithm.formula())));
    CHECK(dataflow.unwritten_reads == 0);
  }
}

TEST_CASE("the simulator and the model know the same algorithms, and who has variants takes --variant") {
  REQUIRE(algorithms().size() == formulas().size());
  for (std::size_t i = 0; i < formulas().size(); ++i) {
    INFO(formulas()[i].name);
    CHECK(algorithms()[i].name == formulas()[i].name);
    CHECK((algorithms()[i].options.find("--variant") != std::string_view::npos) == !formulas()[i].variants.empty());
  }
}

TEST_CASE("a bill past 2^63 - 1 names its figure") {
  Case point;
  point.problem = {.seq_q = Count{1} << 40, .seq_k = Count{1} << 40};
  CHECK_THROWS_WITH(count(find_algorithm("standard"), point, Budget{}), contains("2^63 - 1"));
  CHECK_THROWS_WITH(count(find_algorithm("flash2"), point, Budget{}), contains("2^63 - 1"));
}

TEST_CASE("a window of 4096 at 2^40 rows is counted from a handful of blocks") {
  Case point;
  point.problem = {.seq_q = Count{1} << 40, .seq_k = Count{1} << 40};
  point.problem.mask = {.kind = MaskKind::window, .left = 4096, .right = 0, .pairs = {}};
  for (const std::string_view name : {"flash1", "flash2"}) {
    const Counted counted = count(find_algorithm(name), point, Budget{});
    CHECK(counted.work[TensorName::O].write.value() >= (Count{1} << 46));
  }
}
