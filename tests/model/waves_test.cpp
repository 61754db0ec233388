// Waves, tails and imbalance against cases worked out by hand.
#include "model/waves.hpp"

#include "model/block_schedule.hpp"
#include "model/device.hpp"
#include "model/launch_blocks.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Case attention(Count heads, Count seq, Count block, MaskKind mask = MaskKind::none) {
  Case point;
  point.problem.heads = point.problem.kv_heads = heads;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.problem.head_dim = point.problem.head_dim_v = 128;
  point.problem.mask.kind = mask;
  point.tiling.block_q = point.tiling.block_k = block;
  return point;
}

/// SMs that take a unit of time for a unit of work, and one block each.
SmArray plain(Count sms, Count resident = 1) { return {.sms = sms, .resident = resident}; }

BlockSchedule causal_schedule(RowOrder rows, FastestIndex fastest, const SmArray& array) {
  const Case point = attention(4, 1024, 128, MaskKind::causal);
  return schedule_blocks(launch_order(*kernel_launches("flash2", point).front().blocks, rows, fastest), array);
}

}  // namespace

TEST_CASE("waves are whole and the last one may be partial") {
  const WaveShape shape = waves_of(512, 132, 2);
  CHECK(shape.slots() == 264);
  CHECK(shape.waves() == 2);
  CHECK(shape.last_blocks() == 248);
  CHECK(shape.last_resident() == 2);
  CHECK(shape.last_share() == Approx(248.0 / 264));
  CHECK(shape.efficiency() == Approx(512.0 / 528));
  CHECK(waves_of(264, 132, 2).efficiency() == 1);
  CHECK(waves_of(265, 132, 2).waves() == 2);
  CHECK(waves_of(265, 132, 2).last_resident() == 1);
  CHECK(waves_of(0, 132, 2).waves() == 0);
  CHECK(waves_of(0, 132, 2).efficiency() == 1);
  CHECK_THROWS_WITH(waves_of(5, 0, 1), contains("sm.count 0"));
}

TEST_CASE("J9: the splits of a decoding step fill the SMs") {
  for (const auto& [name, splits, blocks] :
       {std::tuple{"a100-80gb", Count{9}, Count{108}}, std::tuple{"h100-sxm", Count{11}, Count{132}}}) {
    Case point = attention(12, 1, 128);
    point.problem.seq_k = 128 * splits * 4;
    point.options.splits = splits;
    const auto launches = kernel_launches("split_kv", point);
    REQUIRE(launches.size() == 2);
    CHECK(launches[0].blocks->blocks() == blocks);
    const WaveShape shape = waves_of(launches[0].blocks->blocks(), load_device(name).sm.count, 1);
    CHECK(shape.waves() == 1);
    CHECK(shape.efficiency() == 1);
    CHECK_FALSE(idle_sms_note(shape).has_value());
  }
}

TEST_CASE("E18: fewer blocks than SMs make the time a lower bound") {
  const auto note = idle_sms_note(waves_of(32, 132, 1));
  REQUIRE(note.has_value());
  CHECK_THAT(*note, contains("32 blocks on 132 SMs: 100 idle") && contains("lower bound") && contains("latency"));
  CHECK_FALSE(idle_sms_note(waves_of(132, 132, 4)).has_value());
  CHECK_FALSE(idle_sms_note(waves_of(0, 132, 1)).has_value());
}

TEST_CASE("equal blocks end with their waves") {
  CHECK(schedule_blocks({{.blocks = 12, .work = 3}}, plain(4)).end == 9);
  CHECK(schedule_blocks({{.blocks = 13, .work = 3}}, plain(4)).end == 12);
  // Two on an SM share its unit: 2 x 3 for each pair, and the one of the last wave has it for itself.
  CHECK(schedule_blocks({{.blocks = 9, .work = 3}}, plain(4, 2)).end == 9);
  // A chain twice as long as the unit's work hides what the other does.
  SmArray hidden = plain(4, 2);
  hidden.speed = {.chain = 2, .unit = 1};
  CHECK(schedule_blocks({{.blocks = 8, .work = 3}}, hidden).end == 6);
}

TEST_CASE("a causal mask leaves SMs unequal, and the order of the blocks decides how much") {
  // 4 heads x 8 query tiles of 1 to 8 key tiles: 144 tiles on 8 SMs, 18 each at best.
  const auto first = causal_schedule(RowOrder::longest_first, FastestIndex::streams, plain(8));
  const auto ascending = causal_schedule(RowOrder::ascending, FastestIndex::streams, plain(8));
  CHECK(first.mean == 18);
  CHECK(first.end == 18);
  CHECK(first.imbalance() == 1);
  // 1 1 1 1 2 2 2 2, then 3 and 4 on top: 4 and 6, then 5 and 6: 9 and 12, then 7 and 8: 16 and 20.
  CHECK(ascending.longest == 20);
  CHECK(ascending.imbalance() == Approx(20.0 / 18));
  // Dealt in turn with the blocks of a stream fastest, SM 7 gets the longest of every head.
  SmArray dealt = plain(8);
  dealt.scheduling = Scheduling::static_persistent;
  const auto in_turn = causal_schedule(RowOrder::ascending, FastestIndex::blocks, dealt);
  CHECK(in_turn.longest == 32);
  CHECK(in_turn.imbalance() == Approx(32.0 / 18));
}

TEST_CASE("more blocks than are placed one by one end within a block of the exact time") {
  const Count heads = 4 * most_scheduled_blocks / 8;
  const Case point = attention(heads, 1024, 128, MaskKind::causal);
  const LaunchBlocks blocks = *kernel_launches("flash2", point).front().blocks;
  CHECK(blocks.work() == 36.0 * static_cast<double>(heads));
  const auto schedule = schedule_blocks(launch_order(blocks, RowOrder::ascending, FastestIndex::blocks), plain(132));
  const double mean = blocks.work() / 132;
  CHECK(schedule.mean == Approx(mean));
  CHECK(schedule.end >= mean);
  CHECK(schedule.end <= mean + 8);
}

TEST_CASE("every algorithm has launches") {
  for (const char* name : {"standard", "standard_tiled", "flash1", "flash2_backward", "chunked", "zigzag"}) {
    CHECK_FALSE(kernel_launches(name, attention(2, 512, 128)).empty());
  }
  CHECK(kernel_launches("standard", attention(1, 64, 64)).front().times == 3);
}
