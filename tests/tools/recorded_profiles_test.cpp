// Law 5 without a GPU, the hardware's side: what Nsight Compute saw at the edge of the SM is the simulator's ledger, or
// the difference has a name.
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

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

/// Why the hardware reads less than a kernel counts: a row's second and third pass find it in the L1, where the
/// ledger bills every load of an SM that is not from its own tiles.
bool finds_rows_in_l1(const Json& point) {
  if (point.at("kernel") != "softmax") return false;
  return point.at("options").at("variant") != "resident";
}

}  // namespace

TEST_CASE("bytes that the profiler saw at the edge of the SM are the ledger's") {
  int compared = 0;
  for (const Recording& recording : recordings()) {
    const Json& points = recording.document.at("points");
    if (points.empty() || !points[0].contains("profiled_kernels")) continue;
    INFO(recording.path);
    const NcuExport profile = profile_beside(recording);
    std::map<Count, NcuLaunch> launches;
    for (const NcuLaunch& launch : profile.launches) launches.emplace(launch.id, launch);
    const std::vector<Measurement> planned = planned_again(recording.document);
    Count next = 0;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      const Count count = points[i].at("profiled_kernels");
      const std::optional<Seen> seen = seen_in(launches, next, count);
      next += count;
      if (!seen) continue;
      const Traffic ledger = planned[i].bill.counted.total();
      INFO("point " << i << ": reads " << seen->read.value() << " of " << ledger.read_bytes.value() << ", writes "
                    << seen->write.value() << " of " << ledger.write_bytes.value());
      if (finds_rows_in_l1(points[i])) {
        CHECK(seen->read <= ledger.read_bytes);
      } else {
        CHECK(ncu::agrees_at_sm_edge(ledger.read_bytes, seen->read));
      }
      CHECK(ncu::agrees_at_sm_edge(ledger.write_bytes, seen->write));
      ++compared;
    }
    CHECK(next == static_cast<Count>(profile.launches.size() + profile.refused.size()));
  }
  CHECK(compared >= 20);
}
