// Predicted times of other projects' kernels, from data sheet and probes alone, against what was measured on an H200.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/closed_form/catalog.hpp"
#include "model/roofline.hpp"
#include "sim/catalog.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/recorder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace tilemeter;
using Json = nlohmann::json;

namespace {

const std::string measured = TILEMETER_SOURCE_DIR "/traces/measured/h200/";

Json timed_rows() {
  std::ifstream file(measured + "other/peers_times.json");
  REQUIRE(file.is_open());
  return Json::parse(file)["rows"];
}

Case timed_point(const Json& row) {
  const Json& described = row["described_as"];
  Case point;
  point.problem = {.batch = row["batch"],
                   .heads = row["heads"],
                   .kv_heads = row["heads"],
                   .seq_q = row["seq"],
                   .seq_k = row["seq"],
                   .head_dim = row["head_dim"],
                   .head_dim_v = row["head_dim"],
                   .mask = {.kind = row["causal"].get<bool>() ? MaskKind::causal : MaskKind::none},
                   .dtype = DType::bf16};
  point.tiling = {.block_q = described["block_q"], .block_k = described["block_k"], .stages = described["stages"]};
  return point;
}

Execution described_execution(const Json& row) {
  const Json& described = row["described_as"];
  Execution execution;
  execution.matrix = described["matrix"] == "mma" ? MatrixPath::mma : MatrixPath::wgmma;
  execution.scheduling = described["scheduling"] == "grid" ? Scheduling::grid : Scheduling::counter;
  execution.threads = described["threads"];
  execution.math_warps = described["math_warps"];
  execution.blocks_per_sm = described["blocks_per_sm"];
  return execution;
}

double predicted_ms(const Json& row, const Device& device) {
  const Execution execution = described_execution(row);
  const MachineRates rates = machine_rates(device, execution, DType::bf16);
  const Algorithm& algorithm = find_algorithm(row["described_as"]["algorithm"].get<std::string>());
  const Recording recording = record(algorithm, timed_point(row), Budget{});
  return static_cast<double>(simulate(recording, execution, device, rates, {}).time) * 1e-9;
}

/// FLOPs of the visible pairs at the data sheet's peak, or each tensor once at its bandwidth.
double roofline_ms(const Json& row, const Device& device) {
  const Case point = timed_point(row);
  const Count pairs = point.problem.seq_q * point.problem.seq_k;
  const Flops flops(4 * point.problem.streams() * (row["causal"].get<bool>() ? pairs / 2 : pairs) *
                    point.problem.head_dim);
  const Bytes bytes(4 * 2 * point.problem.streams() * point.problem.seq_q * point.problem.head_dim);
  return time_bound(roofline_of(device, DType::bf16), {.flops = flops, .hbm = bytes}).seconds->value * 1e3;
}

}  // namespace

TEST_CASE("without any fit, times of others are predicted with less than half of the roofline's error") {
  const Device data_sheet = load_device("h200");
  const Device probed = load_device(measured + "rates.toml");
  double sum = 0;
  double roofline_sum = 0;
  const Json all = timed_rows();
  REQUIRE(all.size() == 24);
  std::printf("%-5s %4s %6s %6s %9s %9s %7s %8s\n", "peer", "d", "N", "causal", "ms", "predicted", "error", "roofline");
  for (const Json& row : all) {
    const double ms = row["ms"];
    const double error = predicted_ms(row, probed) / ms - 1;
    const double roofline_error = roofline_ms(row, data_sheet) / ms - 1;
    std::printf("%-5s %4lld %6lld %6s %9.3f %9.3f %+6.1f%% %+7.1f%%\n", row["peer"].get<std::string>().c_str(),
                row["head_dim"].get<long long>(), row["seq"].get<long long>(), row["causal"].get<bool>() ? "yes" : "no",
                ms, ms * (1 + error), 100 * error, 100 * roofline_error);
    sum += std::abs(error);
    roofline_sum += std::abs(roofline_error);
  }
  const auto count = static_cast<double>(all.size());
  std::printf("mean absolute error %.1f%%, of the roofline %.1f%%\n", 100 * sum / count, 100 * roofline_sum / count);
  CHECK(sum <= roofline_sum / 2);
}
