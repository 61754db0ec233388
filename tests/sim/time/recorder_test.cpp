// A recording, unrolled, is what the algorithm does tile by tile: the same ops in the same order at the same places.
#include "sim/time/recorder.hpp"

#include <map>
#include <random>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/padded.hpp"
#include "sim/catalog.hpp"
#include "sim/gpu.hpp"
#include "sim/ledger.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr std::uint64_t recorder_seed = 20261130;

/// Keeps every op of every block, without folding.
class EveryOp : public Sink {
 public:
  using Blocks = std::map<Count, std::vector<Op>>;  ///< by place in the launch

  Fold fold() const override { return Fold::none; }
  void begin_launch(const LaunchInfo&) override { launches.emplace_back(); }
  void begin_block(const BlockInfo& block) override { ops_ = &launches.back()[block.first]; }
  void op(const Op& op, Count) override {
    const bool free =
        op.traffic.empty() && op.matmul_flops.value() == 0 && op.exp == Exponentials{} && op.scalars == Scalars{};
    if (!free) ops_->push_back(op);
  }
  void end_block(const std::vector<OnChipTile>&) override {}

  std::vector<Blocks> launches;

 private:
  std::vector<Op>* ops_ = nullptr;
};

EveryOp every_op(const Algorithm& algorithm, const Case& point) {
  EveryOp sink;
  Gpu<Ghost> gpu(sink, unlimited);
  algorithm.count(gpu, accepted(algorithm.formula(), point));
  return sink;
}

/// Whether the numbers of tiles must agree: not where a loop uses several in turn.
enum class Tiles { compared, left_out };

/// The algorithm's numbers of a recording's tiles. A tile that is made in a loop has a new number in every iteration
/// there.
class TileNumbers {
 public:
  /// Whether `recorded` stands for `done` from here on.
  bool match(TileId recorded, TileId done) {
    if (recorded == no_tile || done == no_tile) return recorded == done;
    const auto known = numbers_.find(recorded);
    if (known != numbers_.end() && known->second == done) return true;
    const bool is_new = done > newest_;
    if (known == numbers_.end() || is_new) numbers_[recorded] = done;
    newest_ = std::max(newest_, done);
    return known == numbers_.end() || is_new;
  }
  template <class Ids>
  bool match_all(const Ids& recorded, const Ids& done) {
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      if (!match(recorded[i], done[i])) return false;
    }
    return true;
  }

 private:
  std::map<TileId, TileId> numbers_;
  TileId newest_ = no_tile;
};

/// Why an op of a recording is not the one that the algorithm did; empty when it is.
std::string difference_of_op(const Recording& recording, const IssuedOp& issued, Count first_matrix, const Op& done) {
  if (issued.op->phase != done.phase) return "phase";
  if (!(issued.op->traffic == done.traffic) || issued.op->tensor != done.tensor) return "traffic";
  if (!(issued.op->product == done.product) || !(issued.op->scalars == done.scalars)) return "cost";
  if (!(issued.op->exp == done.exp) || issued.op->matmul_flops != done.matmul_flops) return "operations";
  if (!done.tensor) return "";
  if (recording.tensors[static_cast<std::size_t>(issued.place.tensor)].name != *done.tensor) return "tensor";
  if (first_matrix + issued.place.matrix != done.matrix) return "matrix";
  if (*done.tensor == TensorName::block_table)
    return "";  // the entries of a tile are not the same number of tiles further on
  return issued.place.area == done.area ? "" : "area";
}

Count first_matrix(const Recording& recording, const RecordedLaunch& launch, const IssuedOp& issued, Count stream) {
  if (!issued.op->tensor) return 0;
  const Count streams = recording.tensors[static_cast<std::size_t>(issued.place.tensor)].streams;
  return stream * streams / launch.streams;
}

void require_same(const Recording& recording, const RecordedLaunch& launch, Count place, const std::vector<Op>& done,
                  Tiles tiles) {
  const auto per_stream = static_cast<Count>(launch.blocks.size());
  OpStream stream(launch, launch.blocks[static_cast<std::size_t>(place % per_stream)]);
  IssuedOp issued;
  TileNumbers numbers;
  for (const Op& op : done) {
    REQUIRE(stream.next(issued));
    const Count first = first_matrix(recording, launch, issued, place / per_stream);
    REQUIRE(difference_of_op(recording, issued, first, op) == "");
    if (tiles == Tiles::left_out) continue;
    REQUIRE(numbers.match_all(issued.op->reads, op.reads));
    REQUIRE(numbers.match_all(issued.op->writes, op.writes));
  }
  REQUIRE(!stream.next(issued));
}

std::size_t steps_of(const Recording& recording) {
  std::size_t steps = 0;
  for (const RecordedLaunch& launch : recording.launches) {
    for (const Program& program : launch.programs) steps += program.steps.size();
  }
  return steps;
}

}  // namespace

TEST_CASE("an unrolled recording is the algorithm, op by op, for every algorithm") {
  std::mt19937_64 random(recorder_seed);
  for (int repetition = 0; repetition < testing::repetitions(100); ++repetition) {
    Case drawn = random_case(random, Extent::small);
    for (const Algorithm& algorithm : algorithms()) {
      Case point = adapted(drawn, algorithm.formula(), random);
      const bool one_stage = repetition % 2 == 0;
      if (one_stage) point.tiling.stages = 1;
      INFO("--algorithm " << algorithm.name << " " << describe(point));
      const Recording recording = record(algorithm, point, unlimited);
      const EveryOp done = every_op(algorithm, point);
      REQUIRE(recording.launches.size() == done.launches.size());
      for (std::size_t i = 0; i < done.launches.size(); ++i) {
        const RecordedLaunch& launch = recording.launches[i];
        INFO("launch " << i << ", " << launch.kernel);
        REQUIRE(launch.streams * static_cast<Count>(launch.blocks.size()) ==
                static_cast<Count>(done.launches[i].size()));
        const bool several_in_turn = !one_stage || algorithm.name == "chunked";  // whose summaries are such
        for (const auto& [place, ops] : done.launches[i]) {
          require_same(recording, launch, place, ops, several_in_turn ? Tiles::left_out : Tiles::compared);
        }
      }
    }
  }
}

TEST_CASE("a recording is small whatever the length") {
  for (const char* name : {"flash1", "flash2", "flash3", "split_kv", "flash2_backward"}) {
    const Algorithm& algorithm = find_algorithm(name);
    Case point;
    point.problem = {.batch = 4, .heads = 16, .kv_heads = 16, .seq_q = 1 << 20, .seq_k = 1 << 20, .head_dim = 128};
    point.problem.head_dim_v = 128;
    point.tiling = {.block_q = 128, .block_k = 128, .stages = 2};
    INFO(name);
    CHECK(steps_of(record(algorithm, point, unlimited)) < 120);
  }
}

TEST_CASE("padded loads are whole tiles, as in the closed form of padded tails") {
  Case point;
  point.problem = {
      .batch = 2, .heads = 3, .kv_heads = 3, .seq_q = 1000, .seq_k = 900, .head_dim = 64, .head_dim_v = 64};
  point.tiling = {.block_q = 128, .block_k = 64, .stages = 2};
  for (const MaskKind mask : {MaskKind::none, MaskKind::causal}) {
    point.problem.mask.kind = mask;
    Recording recording = record(find_algorithm("flash2"), point, unlimited);
    pad_tails(recording);
    Work work;
    const RecordedLaunch& launch = recording.launches[0];
    for (const BlockInstance& block : launch.blocks) {
      OpStream stream(launch, block);
      for (IssuedOp issued; stream.next(issued);) add(work, *issued.op, launch.streams);
    }
    CHECK(work.tensors == padded_flash2_bill(point).tensors);
    CHECK(work[TensorName::K].read > closed_form("flash2", point)[TensorName::K].read);
  }
}

TEST_CASE("padded work is that of whole tiles") {
  Case point;
  point.problem = {.seq_q = 1000, .seq_k = 1024, .head_dim = 64, .head_dim_v = 64};
  point.tiling = {.block_q = 128, .block_k = 64, .stages = 2};
  Case whole = point;
  whole.problem.seq_q = 1024;
  const auto work_of = [](const Recording& recording) {
    Work work;
    const RecordedLaunch& launch = recording.launches[0];
    for (const BlockInstance& block : launch.blocks) {
      OpStream stream(launch, block);
      for (IssuedOp issued; stream.next(issued);) add(work, *issued.op, launch.streams);
    }
    return work;
  };
  Recording recording = record(find_algorithm("flash2"), point, unlimited);
  CHECK(work_of(recording).matmul_flops < closed_form("flash2", whole).matmul_flops);
  pad_tails(recording);
  CHECK(work_of(recording).matmul_flops == closed_form("flash2", whole).matmul_flops);
  CHECK(work_of(recording).exp == closed_form("flash2", whole).exp);
}
