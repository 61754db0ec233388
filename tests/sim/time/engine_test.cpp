// Times of tiny recordings, computed by hand in clocks of a machine of 1 GHz.
#include "sim/time/engine.hpp"

#include "tests/sim/time/tiny_recording.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Picoseconds waited(const SmTime& sm, Wait wait) { return sm.waits[static_cast<std::size_t>(wait)] / clock_ps; }
Picoseconds busy(const SmTime& sm, SmUnit unit) { return sm.busy[static_cast<std::size_t>(unit)] / clock_ps; }
Picoseconds clocks_of(const Simulated& result) { return result.time / clock_ps; }

/// Four tiles through a ring: load, and multiply for 200 clocks.
Recording four_tiles(Count stages) {
  return tiny_recording({TinyBlock({stages, 1}).loop(4, 2).load(0, 0, tile_rows, tile_rows).multiply(200, 0, 1)});
}

}  // namespace

TEST_CASE("one load takes its bytes at the port's rate and the latency of device memory") {
  MachineRates rates = tiny_rates(1);
  rates.hbm_latency = 650;
  rates.launch = 5e-9;
  const Simulated result = simulate_tiny(tiny_recording({TinyBlock({1}).load(0, 0)}), tiny_execution(), rates);
  CHECK(clocks_of(result) == 5 + 128 + 650);
  CHECK(waited(result.sms[0], Wait::hbm) == 128 + 650);
  CHECK(busy(result.sms[0], SmUnit::load) == 128);
  CHECK(result.levels.dram_read == Bytes(tile_bytes));
  CHECK(result.levels.l2_hits == Bytes(0));
  REQUIRE(result.timeline.spans.size() == 1);
  CHECK(result.timeline.spans[0].end - result.timeline.spans[0].begin == 128 * clock_ps);
}

TEST_CASE("a second load of the same tile finds it in the L2") {
  MachineRates rates = tiny_rates(1);
  rates.hbm_latency = 650;
  const Simulated result =
      simulate_tiny(tiny_recording({TinyBlock({1}).load(0, 0).load(0, 0)}), tiny_execution(), rates);
  // The second load waits until the first has written the tile.
  CHECK(clocks_of(result) == 128 + 650 + 128 + 100);
  CHECK(result.levels.dram_read == Bytes(tile_bytes));
  CHECK(result.levels.l2_hits == Bytes(tile_bytes));
}

TEST_CASE("two SMs share device memory") {
  MachineRates rates = tiny_rates(2);
  rates.hbm = 16e9;
  const auto block = [](Count row, Count rows) { return TinyBlock({1}).load(0, row, rows); };
  SECTION("equal loads take twice as long") {
    const Simulated result = simulate_tiny(tiny_recording({block(0, 64), block(64, 64)}), tiny_execution(), rates);
    CHECK(clocks_of(result) == 256 + 100);
  }
  SECTION("the longer one has it alone when the other is done") {
    const Simulated result = simulate_tiny(tiny_recording({block(0, 64), block(64, 32)}), tiny_execution(), rates);
    CHECK(clocks_of(result) == 128 + 64 + 100);
    CHECK(busy(result.sms[0], SmUnit::load) == 192);
    CHECK(busy(result.sms[1], SmUnit::load) == 128);
  }
}

TEST_CASE("two SMs share the L2") {
  MachineRates rates = tiny_rates(2);
  rates.l2 = 16e9;
  const Simulated result =
      simulate_tiny(tiny_recording({TinyBlock({1}).load(0, 0), TinyBlock({1}).load(0, 64)}), tiny_execution(), rates);
  CHECK(clocks_of(result) == 256 + 100);
}

TEST_CASE("the stages of a ring are how far loads run ahead") {
  const MachineRates rates = tiny_rates(1);
  // 128 for the bytes, 100 for the latency, 200 for the product, one after the other.
  CHECK(clocks_of(simulate_tiny(four_tiles(1), tiny_execution(), rates)) == 4 * 428);
  // Loads at 0, 128, then when the first and the second product end, at 428 and 628.
  CHECK(clocks_of(simulate_tiny(four_tiles(2), tiny_execution(), rates)) == 628 + 228 + 200);
  // Loads at 0, 128, 256, and at 428; products without a gap from 228 on.
  CHECK(clocks_of(simulate_tiny(four_tiles(3), tiny_execution(), rates)) == 228 + 4 * 200);
}

TEST_CASE("serial ops wait for each other whatever the stages") {
  Execution execution = tiny_execution();
  execution.overlap = Overlap::serial;
  CHECK(clocks_of(simulate_tiny(four_tiles(3), execution, tiny_rates(1))) == 4 * 428);
}

TEST_CASE("two blocks of an SM take turns on its units") {
  const TinyBlock block = TinyBlock({1, 1}).multiply(100, 0, 1).scale(100, 1);
  Execution execution = tiny_execution();
  execution.blocks_per_sm = 2;
  const Simulated result = simulate_tiny(tiny_recording({block, block}), execution, tiny_rates(1));
  CHECK(clocks_of(result) == 300);
  CHECK(waited(result.sms[0], Wait::tensor) == 100);
  CHECK(result.sms[0].working == 400 * clock_ps);
  CHECK(result.sms[0].resident == 500 * clock_ps);
}

TEST_CASE("scalar work beside products takes clocks from them") {
  MachineRates rates = tiny_rates(1);
  rates.stalls_tensor.fma = 0.5;
  // Products of 200 clocks lose half of the 100 clocks of scalar work.
  const TinyBlock block = TinyBlock({1, 1, 1}).scale(100, 1).multiply(100, 0, 0).multiply(100, 2, 2);
  CHECK(clocks_of(simulate_tiny(tiny_recording({block}), tiny_execution(), rates)) == 250);
}

TEST_CASE("a last wave of one block takes as long as a full one") {
  const TinyBlock block = TinyBlock({1, 1}).multiply(100, 0, 1);
  for (const Scheduling scheduling :
       {Scheduling::grid, Scheduling::static_persistent, Scheduling::forth_and_back, Scheduling::counter}) {
    Execution execution = tiny_execution();
    execution.scheduling = scheduling;
    const Simulated result = simulate_tiny(tiny_recording({block, block, block}), execution, tiny_rates(2));
    CHECK(clocks_of(result) == 200);
    CHECK(result.launches[0].waves == 2);
    const std::size_t second = scheduling == Scheduling::forth_and_back ? 1 : 0;  // who has the third block
    CHECK(result.sms[second].blocks == 2);
    CHECK(result.sms[1 - second].blocks == 1);
  }
}

TEST_CASE("blocks that take work where they end even out what blocks that were dealt do not") {
  const auto block = [](Count clocks) { return TinyBlock({1, 1}).multiply(clocks, 0, 1); };
  const Recording recording = tiny_recording({block(300), block(100), block(100), block(100)});
  Execution execution = tiny_execution();
  CHECK(clocks_of(simulate_tiny(recording, execution, tiny_rates(2))) == 300);
  execution.scheduling = Scheduling::static_persistent;
  CHECK(clocks_of(simulate_tiny(recording, execution, tiny_rates(2))) == 400);
}

TEST_CASE("a persistent block loads for its next piece of work while it finishes one") {
  const TinyBlock block = TinyBlock({2, 1}).loop(4, 2).load(0, 0, tile_rows, tile_rows).multiply(200, 0, 1);
  Execution execution = tiny_execution();
  SECTION("a block of a grid does not: the next one begins when it has ended") {
    CHECK(clocks_of(simulate_tiny(tiny_recording({block, block}), execution, tiny_rates(1))) == 2 * 1056);
  }
  for (const Scheduling scheduling : {Scheduling::static_persistent, Scheduling::counter}) {
    execution.scheduling = scheduling;
    const Simulated result = simulate_tiny(tiny_recording({block, block}), execution, tiny_rates(1));
    // Products end at 1056, as those of one piece do; loads at 856 and 1056, whose tiles are free then, and products
    // from 1084, 1284, 1512 and 1712 on: 28 clocks without one where the ring of two is short, and none for the change.
    CHECK(clocks_of(result) == 1912);
    CHECK(result.sms[0].blocks == 2);
    CHECK(result.sms[0].resident == 1912 * clock_ps);
    CHECK(result.sms[0].working == 8 * 200 * clock_ps);
  }
  SECTION("nor where the tiles are others") {
    const TinyBlock other = TinyBlock({3, 1}).loop(4, 2).load(0, 0, tile_rows, tile_rows).multiply(200, 0, 1);
    CHECK(clocks_of(simulate_tiny(tiny_recording({block, other}), execution, tiny_rates(1))) == 1056 + 1028);
  }
  SECTION("nor with serial ops") {
    execution.overlap = Overlap::serial;
    CHECK(clocks_of(simulate_tiny(tiny_recording({block, block}), execution, tiny_rates(1))) == 8 * 428);
  }
}

TEST_CASE("longest blocks first, or last") {
  const auto block = [](Count clocks) { return TinyBlock({1, 1}).multiply(clocks, 0, 1); };
  const Recording recording = tiny_recording({block(100), block(100), block(200)});
  Execution execution = tiny_execution();
  CHECK(clocks_of(simulate_tiny(recording, execution, tiny_rates(2))) == 300);
  execution.rows = RowOrder::longest_first;
  CHECK(clocks_of(simulate_tiny(recording, execution, tiny_rates(2))) == 200);
  execution.rows = RowOrder::descending;
  CHECK(clocks_of(simulate_tiny(recording, execution, tiny_rates(2))) == 200);
}

TEST_CASE("which index runs fastest decides which blocks run together") {
  const auto block = [](Count clocks) { return TinyBlock({1, 1}).multiply(clocks, 0, 1); };
  const Recording recording = tiny_recording({block(100), block(300)}, 2);
  Execution execution = tiny_execution();
  execution.scheduling = Scheduling::static_persistent;
  CHECK(clocks_of(simulate_tiny(recording, execution, tiny_rates(2))) == 600);
  execution.fastest = FastestIndex::streams;
  CHECK(clocks_of(simulate_tiny(recording, execution, tiny_rates(2))) == 400);
}

TEST_CASE("what is stored stays in the L2 until it has to leave") {
  MachineRates rates = tiny_rates(1);
  const Recording recording = tiny_recording({TinyBlock({1}).store(0, 0).store(0, 64)});
  SECTION("it fits") {
    const Simulated result = simulate_tiny(recording, tiny_execution(), rates);
    CHECK(clocks_of(result) == 2 * 128 + 100);
    CHECK(waited(result.sms[0], Wait::store) == 2 * 128);
    CHECK(result.levels.dram_write == Bytes(0));
    CHECK(result.levels.left_dirty == Bytes(2 * tile_bytes));
  }
  SECTION("there is room for one tile") {
    rates.l2_capacity = Bytes(tile_bytes);
    const Simulated result = simulate_tiny(recording, tiny_execution(), rates);
    CHECK(result.levels.dram_write == Bytes(tile_bytes));
    CHECK(result.levels.left_dirty == Bytes(tile_bytes));
  }
  CHECK(simulate_tiny(recording, tiny_execution(), rates).levels.edge.write_bytes == Bytes(2 * tile_bytes));
}

TEST_CASE("a tile is not overwritten while it is on its way out") {
  const Recording recording = tiny_recording({TinyBlock({1, 1}).multiply(100, 1, 0).store(0, 0).multiply(100, 1, 0)});
  const Simulated result = simulate_tiny(recording, tiny_execution(), tiny_rates(1));
  CHECK(clocks_of(result) == 100 + 128 + 100);
  CHECK(waited(result.sms[0], Wait::store) == 128);
}

TEST_CASE("a barrier stands between a load into shared memory and those who use it") {
  MachineRates rates = tiny_rates(1);
  rates.barrier = 20;
  Recording recording = tiny_recording({TinyBlock({1, 1}).load(0, 0).multiply(100, 0, 1)});
  recording.launches[0].programs[0].tiles = {
      {.name = "K", .space = Space::shared, .rows = tile_rows, .cols = tile_cols}};
  const Simulated result = simulate_tiny(recording, tiny_execution(), rates);
  CHECK(clocks_of(result) == 128 + 100 + 20 + 100);
  CHECK(waited(result.sms[0], Wait::barrier) == 20);
  CHECK(waited(result.sms[0], Wait::hbm) == 228);
  CHECK(result.sms[0].shared_peak == Bytes(tile_bytes));
}

TEST_CASE("launches follow each other") {
  MachineRates rates = tiny_rates(1);
  rates.launch = 10e-9;
  Recording recording = tiny_recording({TinyBlock({1, 1}).multiply(100, 0, 1)});
  recording.launches.push_back(recording.launches[0]);
  const Simulated result = simulate_tiny(recording, tiny_execution(), rates);
  CHECK(clocks_of(result) == 220);
  REQUIRE(result.launches.size() == 2);
  CHECK(result.launches[1].time == 110 * clock_ps);
}

TEST_CASE("a launch without blocks takes its launch time, a block without ops no time") {
  MachineRates rates = tiny_rates(1);
  rates.launch = 10e-9;
  CHECK(clocks_of(simulate_tiny(tiny_recording({}), tiny_execution(), rates)) == 10);
  CHECK(clocks_of(simulate_tiny(tiny_recording({TinyBlock({1})}), tiny_execution(), rates)) == 10);
}

TEST_CASE("a block that does not fit an SM is refused") {
  Recording recording = tiny_recording({TinyBlock({1}).load(0, 0)});
  recording.launches[0].programs[0].tiles = {
      {.name = "K", .space = Space::shared, .rows = 4096, .cols = 128, .dtype = DType::fp16}};
  CHECK_THROWS_AS(simulate_tiny(recording, tiny_execution(), tiny_rates(1)), InputError);
}
