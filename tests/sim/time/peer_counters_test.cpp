// Law 5 on other projects' kernels: bytes read at the edge of the SM, and from device memory, as Nsight Compute saw
// them on an H200.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/padded.hpp"
#include "sim/time/lockstep.hpp"
#include "tests/sim/time/flash2_launch.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;
using Json = nlohmann::json;

namespace {

constexpr Count mebibyte = 1024 * 1024;
constexpr Count sms = 132;
/// What data of its own can use of 60 MiB: each half of the L2 keeps lines of the other, too.
constexpr Bytes capacity{34 * mebibyte};
/// How much slower the slowest of FlashAttention-2's blocks is. Two of them share the tensor cores of an SM, and
/// nothing makes the warps of one wait for those of the other. Its value is the one figure here that is fitted, to the
/// causal rows; full ones stay within 5 % with any.
constexpr double shared_sm_drift = 0.55;

Json rows() {
  std::ifstream file(TILEMETER_SOURCE_DIR "/traces/measured/h200/other/peers_counters.json");
  REQUIRE(file.is_open());
  return Json::parse(file)["rows"];
}

bool is_flash(const Json& row) { return row["peer"] == "flash"; }
bool is_causal(const Json& row) { return row["causal"]; }

Count resident_blocks(const Json& row) { return sms * row["described_as"]["blocks_per_sm"].get<Count>(); }

Case point_of(const Json& row) {
  const Json& described = row["described_as"];
  Case point;
  point.problem = {.batch = row["batch"],
                   .heads = row["heads_q"],
                   .kv_heads = row["heads_kv"],
                   .seq_q = row["seq_q"],
                   .seq_k = row["seq_k"],
                   .head_dim = row["head_dim"],
                   .head_dim_v = row["head_dim"],
                   .mask = {.kind = is_causal(row) ? MaskKind::causal : MaskKind::none},
                   .dtype = DType::bf16};
  point.tiling = {.block_q = described["block_q"], .block_k = described["block_k"]};
  return point;
}

Work bill_of(const Json& row) {
  const bool padded = row["described_as"]["tail"] == "padded";
  return padded ? padded_flash2_bill(point_of(row)) : closed_form("flash2", point_of(row));
}

/// Registers spilled at a key tile: what the block writes at the edge beyond O, over the key tiles that it visits. They
/// go to the block's own local memory, where the next tile's replace them.
Bytes spilled_a_step(const Json& row, const Work& bill) {
  if (!row["described_as"].contains("spills")) return {};
  const Count beyond = row["l1_to_xbar_write_bytes"].get<Count>() - bill[TensorName::O].write_bytes.value();
  return Bytes(beyond / bill.tiles / 32 * 32);
}

Recording recording_of(const Json& row) {
  const Case point = point_of(row);
  Flash2Launch launch{.problem = point.problem, .tiling = point.tiling};
  if (row["described_as"]["tail"] == "padded") launch.tails = Tails::padded;
  if (is_flash(row)) {
    launch.keys = KeyWalk::last_to_first;
    launch.next = NextIndex::batch;
    launch.spilled_a_step = spilled_a_step(row, bill_of(row));
    launch.spill_areas = resident_blocks(row);
  }
  return recorded(launch);
}

/// FlashAttention-2 launches a block a tile. cuDNN's 132 blocks take the next tile from a counter: tiles dealt
/// beforehand would read 1.33 times the tensors under the causal mask, where 1.00 was measured.
LockstepTraffic traffic_of(const Json& row, double drift) {
  Execution execution;
  execution.scheduling = is_flash(row) ? Scheduling::grid : Scheduling::counter;
  return lockstep_traffic(recording_of(row), execution, resident_blocks(row), capacity, {.drift = drift});
}

double error(Bytes model, const Json& measured) {
  return static_cast<double>(model.value()) / measured.get<double>() - 1;
}

std::string line_of(const Json& row, const LockstepTraffic& lockstep, const LockstepTraffic& drifting) {
  char line[160];
  std::snprintf(line, sizeof line, "%-5s %s  B%-2d H%-2d/%-2d N%-4d d%-3d %-6s  %+7.3f %%  %+7.2f %%  %+7.2f %%\n",
                row["peer"].get<std::string>().c_str(), row["mode"].get<std::string>().c_str(), row["batch"].get<int>(),
                row["heads_q"].get<int>(), row["heads_kv"].get<int>(), row["seq_q"].get<int>(),
                row["head_dim"].get<int>(), is_causal(row) ? "causal" : "full",
                100 * error(drifting.all.edge.read_bytes, row["xbar_to_l1_read_bytes"]),
                100 * error(lockstep.all.dram_read, row["dram_read_bytes"]),
                100 * error(drifting.all.dram_read, row["dram_read_bytes"]));
  return line;
}

}  // namespace

TEST_CASE("bytes read at the edge of the SM are the bill's, within 0.1 % or 1 MiB, 0.35 % where causal and ragged") {
  int compared = 0;
  for (const Json& row : rows()) {
    CAPTURE(row.dump());
    const Bytes bill = bill_of(row).total().read_bytes;
    const auto measured = row["xbar_to_l1_read_bytes"].get<double>();
    const bool ragged = row["seq_q"].get<int>() % row["described_as"]["block_q"].get<int>() != 0;
    const double share = ragged && is_causal(row) ? 0.0035 : 0.001;
    CHECK(std::abs(static_cast<double>(bill.value()) - measured) <= std::max<double>(mebibyte, share * measured));
    CHECK(lockstep_traffic(recording_of(row), {}, resident_blocks(row), capacity).all.edge.read_bytes == bill);
    ++compared;
  }
  CHECK(compared == 18);
}

TEST_CASE("rows of length 1000 tell a kernel that moves whole tiles from one that does not") {
  for (const Json& row : rows()) {
    if (row["seq_q"] != 1000) continue;
    const Case point = point_of(row);
    const Bytes whole = padded_flash2_bill(point).total().read_bytes;
    const Bytes existing = closed_form("flash2", point).total().read_bytes;
    CHECK(std::abs(error(is_flash(row) ? existing : whole, row["xbar_to_l1_read_bytes"])) < 0.0001);
    CHECK(std::abs(error(is_flash(row) ? whole : existing, row["xbar_to_l1_read_bytes"])) > 0.02);
  }
}

/// How the causal rows of FlashAttention-2 come by their 1.20 times compulsory bytes, which lockstep (1.00) does not
/// see: keys are visited from the diagonal to the first, so that the blocks of a head are spread over all its keys, and
/// the K and V of some 16 heads under way (24 MiB) must stay. Local memory takes 2 MiB beside them, dirty O and Q the
/// rest. When blocks drift apart, more heads are under way and a tile waits longer for the next block, until it has
/// left.
TEST_CASE("bytes read from device memory: within 5 %, 10 % for causal FlashAttention-2") {
  std::string table = "                                     edge of SM  DRAM: lockstep  as tested\n";
  std::vector<std::pair<Json, double>> errors;
  for (const Json& row : rows()) {
    const LockstepTraffic lockstep = traffic_of(row, 0);
    const LockstepTraffic tested = is_flash(row) ? traffic_of(row, shared_sm_drift) : lockstep;
    errors.emplace_back(row, error(tested.all.dram_read, row["dram_read_bytes"]));
    table += line_of(row, lockstep, tested);
  }
  INFO(table);
  for (const auto& [row, error] : errors) {
    CAPTURE(row.dump());
    CHECK(std::abs(error) < (is_flash(row) && is_causal(row) ? 0.10 : 0.05));
  }
  CHECK(errors.size() == 18);
}

TEST_CASE("without drift, every row but the causal ones of FlashAttention-2 is within 3 %") {
  for (const Json& row : rows()) {
    CAPTURE(row.dump());
    const double off = error(traffic_of(row, 0).all.dram_read, row["dram_read_bytes"]);
    if (is_flash(row) && is_causal(row)) {
      CHECK(off == Approx(-0.17).margin(0.01));
    } else {
      CHECK(std::abs(off) < 0.03);
    }
  }
}

TEST_CASE("what was written and what is left in the L2 are O and the spilled registers") {
  for (const Json& row : rows()) {
    CAPTURE(row.dump());
    const LevelTraffic levels = traffic_of(row, 0).all;
    const Work bill = bill_of(row);
    const Count local = spilled_a_step(row, bill).value() * resident_blocks(row);
    const Count written = levels.dram_write.value() + levels.left_dirty.value();
    CHECK(written >= bill[TensorName::O].write_bytes.value());
    CHECK(written <= bill[TensorName::O].write_bytes.value() + 2 * local);
    CHECK(levels.dram_write < bill[TensorName::O].write_bytes);
  }
}
