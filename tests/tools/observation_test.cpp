// Observations of the documents that were recorded on a GPU, and of damaged ones.
#include "tools/validate/observation.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "sim/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include "tools/point.hpp"

using namespace tilemeter;

namespace {

namespace fs = std::filesystem;

const std::string recorded = TILEMETER_SOURCE_DIR "/traces/measured";

struct Read {
  std::vector<Observation> observations;
  std::vector<std::string> notes;
};

Read read(const std::vector<std::string>& paths) {
  Read all;
  all.observations = read_observations(paths, all.notes);
  return all;
}

const Read& everything() {
  static const Read all = read({recorded});
  return all;
}

const Observation& observation_at(const std::string& source) {
  for (const Observation& observation : everything().observations) {
    if (observation.source == source) return observation;
  }
  FAIL("no observation " << source);
  throw std::logic_error(source);
}

bool is_of(const std::string& text, const std::string& document) { return text.starts_with(document); }

}  // namespace

TEST_CASE("every recorded document gives observations, or notes that name it") {
  for (const auto& entry : fs::recursive_directory_iterator(recorded)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json") continue;
    CAPTURE(name);
    const auto& [observations, notes] = everything();
    const bool seen = std::any_of(observations.begin(), observations.end(),
                                  [&](const Observation& observation) { return is_of(observation.source, name); });
    const bool noted =
        std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return is_of(note, name); });
    CHECK((seen || noted));
  }
  CHECK(everything().observations.size() >= 200);
}

TEST_CASE("an observed point of an own kernel is billed as it was counted") {
  for (const Observation& observation : everything().observations) {
    CAPTURE(observation.source);
    CHECK(observation.request.algorithm != nullptr);
    CHECK(!observation.request.device);
    CHECK(observation.execution.kernel == observation.kernel);
    CHECK((observation.time || observation.counted || observation.profiled.edge_read || !observation.missing.empty()));
    if (observation.time) {
      CHECK(observation.time->seconds > 0);
      CHECK(observation.time->spread >= 0);
      CHECK(observation.time->spread < 1);
    }
    if (!observation.counted) continue;
    CHECK(observation.own);
    PointResult bill = evaluate(observation.request, {});
    REQUIRE(!bill.refusal);
    bill.counted.exp = {};
    CHECK(bill.counted == *observation.counted);
  }
}

TEST_CASE("a point of flash3 is read as its document has it") {
  const Observation& point = observation_at("flash3_n4096_d128.json, point 2");
  CHECK(point.kernel == "flash3");
  CHECK(point.own);
  CHECK(point.request.algorithm->name == "flash3");
  CHECK(point.request.problem.mask.kind == MaskKind::causal);
  CHECK(point.request.problem.dtype == DType::bf16);
  CHECK(point.request.problem.seq_q == 4096);
  CHECK(point.request.block_q == 128);
  CHECK(point.request.stages == 2);
  CHECK(point.execution.matrix == MatrixPath::wgmma);
  CHECK(point.execution.scheduling == Scheduling::static_persistent);
  CHECK(point.execution.rows == RowOrder::longest_first);
  CHECK(point.execution.fastest == FastestIndex::streams);
  CHECK(point.execution.threads == 384);
  CHECK(point.execution.math_warps == 8);
  REQUIRE(point.time.has_value());
  CHECK(point.time->clock_hz.has_value());
  REQUIRE(point.counted.has_value());
  CHECK((*point.counted)[TensorName::O].write_bytes == Bytes(2 * 16384 * 2048));
  CHECK(!point.profiled.edge_read);
}

TEST_CASE("others' kernels are read with their descriptions, the profiler's bytes with what is missing") {
  const Observation& launch = observation_at("peers_counters.json, row 1");
  CHECK(launch.kernel == "fa2");
  CHECK(!launch.own);
  CHECK(launch.profiled.edge_read == Bytes(2282153216));
  CHECK(launch.profiled.edge_write == Bytes(569311232));
  CHECK(launch.profiled.dram_read == Bytes(242702336));
  CHECK(!launch.profiled.l2_read);
  REQUIRE(launch.missing.size() == 2);
  CHECK(!launch.time);
  CHECK(launch.request.block_k == 64);
  CHECK(launch.execution.blocks_per_sm == 2);

  const Observation& time = observation_at("peers_times.json, row 1");
  CHECK(time.kernel == "fa2");
  REQUIRE(time.time.has_value());
  CHECK(time.time->seconds == Approx(0.500192e-3));
  CHECK(time.time->spread == Approx((0.516448 - 0.492256) / 0.500192 * 1.349 / 3.472));
  CHECK(time.request.problem.batch == 16);
  CHECK(time.request.block_k == 128);
}

TEST_CASE("bytes of a profiled point are the sums over its launches") {
  std::map<std::string, int> profiled;
  for (const Observation& observation : everything().observations) {
    if (!observation.profiled.edge_read || !observation.own) continue;
    ++profiled[observation.kernel];
    CAPTURE(observation.source);
    CHECK(!observation.time);  // what a profiler times is no time of the kernel's
    CHECK(observation.profiled.edge_write.has_value());
    CHECK(observation.profiled.dram_read.has_value());
    REQUIRE(observation.counted.has_value());
    CHECK(*observation.profiled.edge_write >= observation.counted->total().write_bytes);
  }
  CHECK(profiled["flash2"] >= 6);
  CHECK(profiled["standard"] >= 1);  // three launches each
}
