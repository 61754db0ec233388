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

/// Rows up to a whole number of tiles.
Count padded(Count extent, Count tile) { return ceil_div(extent, tile) * tile; }

/// gemm's and flash3's tensor copies bring a box whole, also where it hangs over the edge of the matrix, while the
/// ledger bills what lies inside. (A causal mask cuts the last box off for almost all query tiles.)
Bytes reads_of_boxes(const Measurement& planned) {
  Case point = planned.plan.point;
  const Tiling& tiling = point.tiling;
  if (planned.plan.kernel->name == "gemm") {
    point.shapes.m = padded(point.shapes.m, tiling.block_m);
    point.shapes.n = padded(point.shapes.n, tiling.block_n);
    point.shapes.k = padded(point.shapes.k, tiling.block_k);
  } else if (point.problem.mask.kind == MaskKind::none) {
    point.problem.seq_k = padded(point.problem.seq_k, tiling.block_k);
  }
  return closed_form(planned.plan.kernel->algorithm, point).total().read_bytes;
}

/// An addition in memory is a read and a write in the ledger. The L2 carries it out: what crosses the edge of the SM is
/// one of the two. The last kernel reads the sums once, as ordinary loads.
Bytes reads_without_additions(const Measurement& planned) {
  const Problem& problem = planned.plan.point.problem;
  const Traffic& sums = planned.bill.counted[TensorName::dQacc];
  const Bytes loads = bytes_of(problem.streams() * problem.seq_q, problem.head_dim, problem.stat_dtype);
  return planned.bill.counted.total().read_bytes - (sums.read_bytes - loads);
}

/// What the hardware reads.
Bytes expected_reads(const Measurement& planned) {
  const std::string_view kernel = planned.plan.kernel->name;
  if (kernel == "gemm" || kernel == "flash3") return reads_of_boxes(planned);
  if (kernel == "flash2_backward" || kernel == "flash3_backward") return reads_without_additions(planned);
  return planned.bill.counted.total().read_bytes;
}

/// Blocks of a cluster read each other's sums: what leaves one SM arrives at another, as often in one direction as in
/// the other.
bool exchanges_in_clusters(const Measurement& planned, const Seen& seen) {
  if (planned.plan.kernel->algorithm != "weight_layer") return false;
  const Traffic bill = planned.bill.counted.total();
  return seen.read > bill.read_bytes && seen.read - bill.read_bytes == seen.write - bill.write_bytes;
}

/// Unexplained: with dQ in fp32 flash1_backward writes 0.6 to 0.8 % more than it stores.
bool writes_a_little_more(const Measurement& planned, const Seen& seen) {
  const Count bill = planned.bill.counted.total().write_bytes.value();
  return planned.plan.kernel->name == "flash1_backward" && planned.plan.point.problem.o_dtype == DType::fp32 &&
         seen.write.value() > bill && seen.write.value() - bill < bill / 100;
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
      const bool exchanged = exchanges_in_clusters(planned[i], *seen);
      CHECK((fewer || exchanged || ncu::agrees_at_sm_edge(reads, seen->read)));
      CHECK((exchanged || writes_a_little_more(planned[i], *seen) || ncu::agrees_at_sm_edge(writes, seen->write)));
      ++compared;
    }
    CHECK(next == static_cast<Count>(profile.launches.size() + profile.refused.size()));
  }
  CHECK(compared >= 20);
}
