// A run of the probes written as an overlay, as CSV and as JSON, from figures that are made up.
#include "model/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include "tools/json.hpp"
#include "tools/probe/overlay.hpp"
#include "tools/probe/render.hpp"

using namespace tilemeter;

namespace {

kernels::Figure figure(const std::string& key, double value, double half_width, std::string note = "") {
  return {.key = key, .value = value, .half_width95 = half_width, .samples = 10, .clock = Hertz{1.755e9}, .note = note};
}

ProbeRun run_of(std::vector<kernels::Figure> figures) {
  ProbeRun run{.gpu = {.name = "NVIDIA H200",
                       .bus_id = "0000:01:00.0",
                       .driver = "580.1",
                       .toolkit = "13.0",
                       .capability = 90,
                       .sm_count = 132},
               .date = "2026-11-29T20:00:00Z",
               .command = "tilemeter probe -o \"a\\b.toml\"",
               .commit = "abc",
               .outcomes = {}};
  run.outcomes.push_back({.probe = &kernels::probe_named("hbm"), .figures = std::move(figures)});
  return run;
}

Device read_back(const ProbeRun& run) { return parse_device(overlay_text(run, load_device("h200")), "r.toml"); }

}  // namespace

TEST_CASE("an overlay holds every figure, readable, with where it comes from") {
  const Device device = read_back(run_of({figure("probe.hbm.read", 4.4e12, 11e9), figure("probe.launch.graph", 7e-7, 0),
                                          figure("probe.clock.wgmma", 1.6e9, 1e6, "clock reasons: \"power\" cap"),
                                          figure("probe.atomic.same_address", 5.7e8, 1e6)}));
  REQUIRE(device.probes.size() == 4);
  CHECK(device.probes.at("probe.hbm.read").value == 4.4e12);
  CHECK(*device.probes.at("probe.hbm.read").half_width95 == Approx(11e9));
  CHECK(device.probes.at("probe.launch.graph").value == Approx(7e-7));
  CHECK(device.probes.at("probe.atomic.same_address").value == Approx(5.7e8));
  for (const DeviceFact& fact : device_rows(device)) {
    if (fact.key != "probe.clock.wgmma") continue;
    CHECK(fact.value == "1.6 GHz");
    CHECK(fact.provenance.date == "2026-11-29T20:00:00Z");
    CHECK(fact.provenance.command == "tilemeter probe -o \"a\\b.toml\"");
    CHECK(fact.provenance.clock == "1.755 GHz");
    CHECK(fact.source.find("clock reasons: \"power\" cap; tilemeter ") == 0);
    CHECK(fact.source.find("of commit abc on NVIDIA H200, driver 580.1, CUDA 13.0") != std::string::npos);
  }
}

TEST_CASE("figures become the quantities of the device that they determine") {
  const Device device = read_back(run_of({figure("probe.hbm.read", 4.4e12, 0), figure("probe.hbm.copy", 4.1e12, 0),
                                          figure("probe.l2.read", 9e12, 0), figure("probe.wgmma.bf16.n64.ss", 4000, 0),
                                          figure("probe.wgmma.bf16.n128.rs", 4080, 0),
                                          figure("probe.mma.bf16", 2700, 0), figure("probe.clock.wgmma", 1.5e9, 0),
                                          figure("probe.fma.fp32", 127, 0), figure("probe.exp.fp32", 15.9, 0)}));
  CHECK(device.hbm.bandwidth.value == 4.4e12);
  CHECK(device.l2.bandwidth->value == 9e12);
  CHECK(device.clock.tensor->value == 1.5e9);
  // Operations per clock and SM are those measured, at the clock that the device states.
  CHECK(*device.per_sm_clock(ComputeUnit::tensor, DType::bf16) == Approx(4080).epsilon(1e-3));
  CHECK(*device.per_sm_clock(ComputeUnit::mma, DType::bf16) == Approx(2700).epsilon(1e-3));
  CHECK(*device.per_sm_clock(ComputeUnit::fma, DType::fp32) == Approx(2 * 127).epsilon(1e-3));
  CHECK(*device.per_sm_clock(ComputeUnit::exp, DType::fp32) == Approx(15.9).epsilon(1e-3));
}

TEST_CASE("without wgmma, mma.sync is the tensor rate") {
  const Device device = read_back(run_of({figure("probe.mma.bf16", 2000, 0), figure("probe.clock.mma", 1.7e9, 0)}));
  CHECK(device.clock.tensor->value == 1.7e9);
  CHECK(*device.per_sm_clock(ComputeUnit::tensor, DType::bf16) == Approx(2000).epsilon(1e-3));
  CHECK(device.rates.count({ComputeUnit::mma, DType::bf16}) == 0);
}

TEST_CASE("a partial run changes only what it measured") {
  const Device device = read_back(run_of({figure("probe.shared.read", 127.7, 0.1)}));
  CHECK(device.hbm.bandwidth.value == load_device("h200").hbm.bandwidth.value);
  CHECK(device.rates == load_device("h200").rates);
  CHECK(device.probes.size() == 1);
}

TEST_CASE("what is missing or wrong has a row with its reason") {
  ProbeRun run = run_of({figure("probe.hbm.read", 4.4e12, 11e9, "a, note")});
  run.outcomes.push_back({.probe = &kernels::probe_named("wgmma"), .unavailable = "no wgmma here"});
  run.outcomes.push_back({.probe = &kernels::probe_named("l2"), .failure = "wrong sum"});
  const std::string table = render_probes(run, Format::table);
  CHECK(table.find("4.4 TB/s") != std::string::npos);
  CHECK(table.find("not available: no wgmma here") != std::string::npos);
  const std::string csv = render_probes(run, Format::csv);
  CHECK(csv.find("hbm,probe.hbm.read,4.4e+12,B/s,1.1e+10,10,1.755e+09,\"a, note\"") != std::string::npos);
  CHECK(csv.find("failed: wrong sum") != std::string::npos);
  const Json json = Json::parse(render_probes(run, Format::json));
  CHECK(json["schema"] == 1);
  CHECK(json["figures"][0]["value"] == 4.4e12);
  CHECK(json["figures"][0]["unit"] == "B/s");
  CHECK(json["missing"][1]["failed"] == true);
  CHECK_THROWS_AS(render_probes(run, Format::html), InputError);
}

TEST_CASE("the overlay recorded on an H200 is complete and within what the chip can do") {
  const Device device = load_device(std::string(TILEMETER_SOURCE_DIR) + "/traces/measured/h200/rates.toml");
  for (const ProbeKey& key : probe_keys()) {
    CAPTURE(key.key);
    CHECK(device.probes.count(key.key) == 1);
  }
  CHECK(device.name == "h200");
  const auto value = [&](const char* key) { return device.probes.at(key).value; };
  const Device sheet = load_device("h200");
  CHECK(value("probe.hbm.read") > 0.85 * sheet.hbm.bandwidth.value);
  CHECK(value("probe.hbm.read") < sheet.hbm.bandwidth.value);
  CHECK(value("probe.l2.read") > 1.5 * value("probe.hbm.read"));
  CHECK(value("probe.exp.fp32") == Approx(16).epsilon(0.01));
  CHECK(value("probe.fma.fp32") == Approx(128).epsilon(0.03));
  CHECK(value("probe.shared.read") == Approx(128).epsilon(0.01));
  CHECK(value("probe.clock.wgmma") < sheet.clock.tensor->value);
  CHECK(*device.per_sm_clock(ComputeUnit::tensor, DType::bf16) == Approx(4096).epsilon(0.01));
  // Operands from shared memory: the slower of the tensor cores and 128 bytes a clock.
  for (const Count n : wgmma_columns()) {
    CAPTURE(n);
    const auto columns = static_cast<double>(n);
    const double clocks = std::max(columns / 2, (2048 + 32 * columns) / 128);
    const std::string key = "probe.wgmma.bf16.n" + std::to_string(n) + ".ss";
    CHECK(value(key.c_str()) == Approx(2 * 64 * columns * 16 / clocks).epsilon(0.03));
  }
}
