// Law 5 without a GPU, the hardware's side: what Nsight Compute saw at the edge of the SM is the simulator's ledger, or
// the difference has a name.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "model/closed_form/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/tools/recordings.hpp"
#include "traces/ncu.hpp"
#include "traces/ncu/comparison.hpp"

using namespace tilemeter;

namespace {

/// What the hardware saw of one point; absent where a launch was too short for its counters to be used.
struct Seen {
  Bytes read;
  Bytes write;
};

NcuExport profile_beside(const Recording& recording) {
  std::ifstream file(recording.path + ".csv", std::ios::binary);
  REQUIRE(file.is_open());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return read_ncu(text, recording.path + ".csv");
}

/// Sums over launches [first, first + count) of the export.
std::optional<Seen> seen_in(const std::map<Count, NcuLaunch>& launches, Count first, Count count) {
  Seen seen;
  for (Count id = first; id < first + count; ++id) {
    const auto launch = launches.find(id);
    if (launch == launches.end()) return std::nullopt;
    seen.read += launch->second.sm_edge_read.value();
    seen.write += launch->second.sm_edge_write.value();
  }
  return seen;
}

/// What the hardware reads. A tensor copy brings its box whole, also where the box hangs over the edge of the matrix,
/// while the ledger bills what lies inside.
Bytes expected_reads(const Measurement& planned) {
  if (planned.plan.kernel->name != "gemm") return planned.bill.counted.total().read_bytes;
  Case padded = planned.plan.point;
  const Tiling& tiling = padded.tiling;
  padded.shapes.m = ceil_div(padded.shapes.m, tiling.block_m) * tiling.block_m;
  padded.shapes.n = ceil_div(padded.shapes.n, tiling.block_n) * tiling.block_n;
  padded.shapes.k = ceil_div(padded.shapes.k, tiling.block_k) * tiling.block_k;
  return closed_form("gemm", padded).total().read_bytes;
}

/// Loads that find in the L1 what an earlier pass over the row, or another block of the SM, brought: fewer bytes cross
/// the edge than the ledger bills. All other kernels load past the L1.
bool reads_through_l1(const Json& point) {
  const std::string kernel = point.at("kernel");
  return kernel == "flash2_plain" || (kernel == "softmax" && point.at("options").at("variant") != "resident");
}

}  // namespace

TEST_CASE("bytes that the profiler saw at the edge of the SM are the ledger's") {
  int compared = 0;
  for (const Recording& recording : recordings()) {
    const Json& points = recording.document.at("points");
    const bool profiled =
        std::any_of(points.begin(), points.end(), [](const Json& point) { return point.contains("profiled_kernels"); });
    if (!profiled) continue;
    INFO(recording.path);
    const NcuExport profile = profile_beside(recording);
    std::map<Count, NcuLaunch> launches;
    for (const NcuLaunch& launch : profile.launches) launches.emplace(launch.id, launch);
    const std::vector<Measurement> planned = planned_again(recording.document);
    Count next = 0;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (!points[i].contains("profiled_kernels")) continue;  // not supported
      const Count count = points[i].at("profiled_kernels");
      const std::optional<Seen> seen = seen_in(launches, next, count);
      next += count;
      if (!seen) continue;
      const Bytes reads = expected_reads(planned[i]);
      const Bytes writes = planned[i].bill.counted.total().write_bytes;
      INFO("point " << i << ": reads " << seen->read.value() << " of " << reads.value() << ", writes "
                    << seen->write.value() << " of " << writes.value());
      const bool fewer = reads_through_l1(points[i]) && seen->read < reads;
      CHECK((fewer || ncu::agrees_at_sm_edge(reads, seen->read)));
      CHECK(ncu::agrees_at_sm_edge(writes, seen->write));
      ++compared;
    }
    CHECK(next == static_cast<Count>(profile.launches.size() + profile.refused.size()));
  }
  CHECK(compared >= 20);
}
