// Law 5 against other projects' kernels: bytes read at the edge of the SM, and from device memory, as Nsight Compute saw
// them on an H200.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/time/lockstep.hpp"
#include "tests/sim/time/flash2_launch.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;
using Json = nlohmann::json;

namespace {

constexpr Count mib = 1024 * 1024;

Flash2Launch launch_of(const Json& row) {
  const Json& described = row["described_as"];
  Flash2Launch launch;
  launch.problem = {.batch = row["batch"],
                    .heads = row["heads_q"],
                    .kv_heads = row["heads_kv"],
                    .seq_q = row["seq_q"],
                    .seq_k = row["seq_k"],
                    .head_dim = row["head_dim"],
                    .head_dim_v = row["head_dim"],
                    .mask = {.kind = row["causal"] ? MaskKind::causal : MaskKind::none},
                    .dtype = DType::bf16};
  launch.tiling = {.block_q = described["block_q"], .block_k = described["block_k"]};
  launch.tails = described["tail"] == "padded" ? Tails::padded : Tails::predicated;
  if (described.contains("key_order")) launch.keys = KeyWalk::last_to_first;
  launch.next = row["peer"] == "flash" ? NextIndex::batch : NextIndex::heads;
  return launch;
}

}  // namespace

TEST_CASE("explore", "[.]") {
  std::ifstream file(TILEMETER_SOURCE_DIR "/traces/measured/h200/other/peers_counters.json");
  const Json counters = Json::parse(file);
  const char* e = std::getenv("DRIFT");
  const double drift = e ? std::atof(e) : 0;
  e = std::getenv("CAP");
  const Count cap = static_cast<Count>((e ? std::atof(e) : 34) * mib);
  e = std::getenv("SPILL");
  const Count spill = e ? std::atoi(e) : 0;
  e = std::getenv("KEYS");
  for (const Json& row : counters["rows"]) {
    Flash2Launch launch = launch_of(row);
    if (e) launch.keys = KeyWalk::first_to_last;
    const Count resident = 132 * Count{row["described_as"]["blocks_per_sm"]};
    const Count o = launch.problem.batch * launch.problem.heads * launch.problem.seq_q * launch.problem.head_dim * 2;
    const Count edge_write = row["l1_to_xbar_write_bytes"];
    const bool spills = row["described_as"].contains("spills");
    if (spill > 0 && spills) {
      launch.spilled_a_step = Bytes(spill);
      launch.spill_areas = resident;
    }
    Execution execution;
    execution.scheduling = row["peer"] == "flash" ? Scheduling::grid : std::getenv("CNT") ? Scheduling::counter : Scheduling::static_persistent; if (std::getenv("STR") && row["peer"] == "cudnn") execution.fastest = FastestIndex::streams;
    if (std::getenv("DESC") && row["peer"] == "flash") execution.rows = RowOrder::descending;
    if (std::getenv("LONG") && row["peer"] == "cudnn") execution.rows = RowOrder::longest_first;
    const Recording recording = recorded(launch);
    const LockstepTraffic t = lockstep_traffic(recording, execution, resident, Bytes(cap), {.drift = drift});
    const Count dram = row["dram_read_bytes"], edge = row["xbar_to_l1_read_bytes"];
    std::printf("%-6s %s B%-2ld H%-2ld/%-2ld N%-5ld d%-3ld %s edge %+7.3f%% (%+.3f MiB) dram %+7.2f%%  x%.3f m x%.3f writes %ld m %ld spill/step %.0f  dirty %ld\n",
                std::string(row["peer"]).c_str(), std::string(row["mode"]).c_str(), launch.problem.batch,
                launch.problem.heads, launch.problem.kv_heads, launch.problem.seq_q, launch.problem.head_dim,
                row["causal"] ? "causal" : "full  ",
                100. * (double(t.all.edge.read_bytes.value()) / double(edge) - 1),
                double(t.all.edge.read_bytes.value() - edge) / mib,
                100. * (double(t.all.dram_read.value()) / double(dram) - 1), double(t.all.dram_read.value()) / double(o),
                double(dram) / double(o), t.all.dram_write.value(), Count(row["dram_write_bytes"]),
                double(edge_write - o) / double(t.accesses), t.all.left_dirty.value());
  }
}
