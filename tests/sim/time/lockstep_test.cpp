// DRAM traffic in lockstep: by hand, and what every algorithm keeps to.
#include "sim/time/lockstep.hpp"

#include "model/closed_form/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/time/recorder.hpp"
#include "tests/sim/time/flash2_launch.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr Count kib = 1024;
constexpr Count mib = 1024 * kib;

Case attention(Count heads, Count length, Count head_dim = 64) {
  Case point;
  point.problem = {.heads = heads,
                   .kv_heads = heads,
                   .seq_q = length,
                   .seq_k = length,
                   .head_dim = head_dim,
                   .head_dim_v = head_dim};
  point.tiling = {.block_q = 64, .block_k = 64};
  return point;
}

Recording recorded(std::string_view algorithm, const Case& point) {
  return record(find_algorithm(algorithm), point, unlimited);
}

LevelTraffic levels(const Recording& recording, Count resident, Count capacity, const Execution& execution = {}) {
  return lockstep_traffic(recording, execution, resident, Bytes(capacity)).all;
}

}  // namespace

TEST_CASE("blocks of a wave share K and V, and the next wave finds what fits") {
  // 1 head, 8 query and 8 key tiles of 8 KiB each, 4 blocks at a time: K and V are 128 KiB, LSE 2 KiB.
  const Recording recording = recorded("flash2", attention(1, 512));
  const Count q = 64 * kib, kv = 128 * kib;
  CHECK(levels(recording, 8, 64 * kib).dram_read == Bytes(q + kv));      // one wave
  CHECK(levels(recording, 4, 64 * kib).dram_read == Bytes(q + 2 * kv));  // two, and nothing is left of K and V
  CHECK(levels(recording, 4, 256 * kib).dram_read == Bytes(q + kv));     // two, and all is
  CHECK(levels(recording, 1, 16 * kib).dram_read == Bytes(q + 8 * kv));  // each block for itself
  CHECK(levels(recording, 1, 256 * kib).dram_read == Bytes(q + kv));
  CHECK(levels(recording, 4, 64 * kib).edge.read_bytes == Bytes(q + 8 * kv));
}

TEST_CASE("O leaves the L2 when there is no room, or stays dirty") {
  const Recording recording = recorded("flash2", attention(1, 512));
  const Count o = 64 * kib + 2 * kib;
  const LevelTraffic roomy = levels(recording, 4, mib);
  CHECK(roomy.dram_write == Bytes(0));
  CHECK(roomy.left_dirty == Bytes(o));
  const LevelTraffic tight = levels(recording, 1, 64 * kib);
  CHECK(tight.left_dirty < Bytes(2 * 8 * kib + 2 * kib));
  CHECK(tight.dram_write + tight.left_dirty == Bytes(o));
}

TEST_CASE("heads one after the other need less room than all at once") {
  const Recording recording = recorded("flash2", attention(8, 1024));  // K and V: 256 KiB a head
  const Count compulsory = 8 * 3 * 128 * kib;
  CHECK(levels(recording, 4, 640 * kib).dram_read == Bytes(compulsory));
  CHECK(levels(recording, 4, 640 * kib, {.fastest = FastestIndex::streams}).dram_read > Bytes(2 * compulsory));
}

TEST_CASE("query heads of a group find each other's K and V") {
  Case point = attention(8, 512);
  point.problem.kv_heads = 2;
  CHECK(levels(recorded("flash2", point), 8, 512 * kib).dram_read == Bytes(8 * 64 * kib + 2 * 128 * kib));
}

TEST_CASE("the longest blocks come first, or tiles are dealt beforehand") {
  Case point = attention(4, 1024);
  point.problem.mask.kind = MaskKind::causal;
  const Recording recording = recorded("flash2", point);
  const Bytes edge = levels(recording, 6, 64 * kib).edge.read_bytes;
  for (const RowOrder order : {RowOrder::ascending, RowOrder::descending, RowOrder::longest_first}) {
    for (const Scheduling scheduling :
         {Scheduling::grid, Scheduling::static_persistent, Scheduling::forth_and_back, Scheduling::counter}) {
      const LevelTraffic traffic = levels(recording, 6, 256 * kib, {.scheduling = scheduling, .rows = order});
      CHECK(traffic.edge.read_bytes == edge);
      CHECK(traffic.l2_hits + traffic.dram_read == edge);
      CHECK(traffic.dram_read >= Bytes(4 * 3 * 128 * kib));
    }
  }
}

/// materialised loads single columns: 4 B of each sector that it touches.
TEST_CASE("every algorithm: device reads and L2 hits are the reads at the edge") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    Case point = attention(4, 256, 32);
    point.problem.dtype = point.problem.score_dtype = point.problem.o_dtype = DType::fp32;
    point.shapes = {
        .m = 256, .n = 128, .k = 64, .tokens = 64, .d_in = 128, .d_out = 64, .rows = 64, .cols = 256, .length = 4096};
    const Recording recording = recorded(algorithm.name, point);
    Bytes before{Count{1} << 40};
    for (const Count capacity : {16 * kib, 128 * kib, 64 * mib}) {
      CAPTURE(capacity);
      const LockstepTraffic traffic = lockstep_traffic(recording, {}, 6, Bytes(capacity));
      const Bytes loaded = traffic.all.l2_hits + traffic.all.dram_read;
      CHECK(loaded >= traffic.all.edge.read_bytes);
      if (algorithm.name != "materialised") CHECK(loaded == traffic.all.edge.read_bytes);
      CHECK(traffic.all.edge == closed_form(algorithm.name, point).total());
      CHECK(traffic.all.dram_read <= before);
      before = traffic.all.dram_read;
      if (capacity < 64 * mib) continue;
      CHECK(traffic.all.dram_write == Bytes(0));
      CHECK(traffic.all.left_dirty <= traffic.all.edge.write_bytes);
    }
  }
}

TEST_CASE("re-read bytes are not unique bytes (case E6)") {
  // K and V of 8192 keys x 256 x 2 B, walked by 1440 blocks.
  Case point = attention(1, 8192, 256);
  point.problem.seq_q = 1440 * 16;
  point.tiling.block_q = 16;
  const Work bill = closed_form("flash2", point);
  const Count unique = 8192 * 256 * 2 * 2;
  CHECK(unique == 8388608);
  CHECK(bill[TensorName::K].read_bytes + bill[TensorName::V].read_bytes == Bytes(1440LL * unique));  // 12.08 GB
  const LevelTraffic traffic = levels(recorded("flash2", point), 132, 34 * mib);
  const Bytes q = bill[TensorName::Q].read_bytes;
  CHECK(traffic.edge.read_bytes == Bytes(12'079'595'520) + q);
  CHECK(traffic.dram_read == Bytes(unique) + q);
  CHECK(traffic.l2_hits == Bytes(1439LL * unique));
}

TEST_CASE("a launch that is written down by hand reads what the recorded algorithm reads") {
  Case point = attention(4, 1000);
  point.problem.mask.kind = MaskKind::causal;
  const Recording by_hand = tilemeter::testing::recorded({.problem = point.problem, .tiling = point.tiling});
  const Recording algorithm = recorded("flash2", point);
  for (const Count capacity : {128 * kib, 512 * kib, 4 * mib}) {
    const LevelTraffic a = levels(by_hand, 12, capacity);
    const LevelTraffic b = levels(algorithm, 12, capacity);
    CHECK(a.edge.read_bytes == b.edge.read_bytes);
    CHECK(static_cast<double>(a.dram_read.value()) == Approx(static_cast<double>(b.dram_read.value())).epsilon(0.1));
  }
}

TEST_CASE("64 heads of 16384 keys are simulated whole; a sample of windows stands for more") {
  const Case point = [] {
    Case made = attention(64, 16384, 128);
    made.tiling = {.block_q = 128, .block_k = 64};
    return made;
  }();
  const Recording recording = recorded("flash2", point);
  const LockstepTraffic whole = lockstep_traffic(recording, {}, 264, Bytes(34 * mib));
  CHECK(whole.sampled == 1);
  CHECK(whole.accesses == 64LL * 128 * (2 * 256 + 3));
  const LockstepTraffic sample = lockstep_traffic(recording, {}, 264, Bytes(34 * mib), {.most_accesses = 2'500'000});
  CHECK(sample.sampled < 0.3);
  CHECK(sample.accesses < 2'600'000);
  CHECK(sample.all.edge == whole.all.edge);
  const auto value = [](Bytes bytes) { return static_cast<double>(bytes.value()); };
  CHECK(value(sample.all.dram_read) == Approx(value(whole.all.dram_read)).epsilon(0.1));
  CHECK(value(sample.all.dram_read + sample.all.l2_hits) == Approx(value(whole.all.edge.read_bytes)).epsilon(1e-9));
}
