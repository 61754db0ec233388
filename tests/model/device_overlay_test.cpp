// Overlays: device files that change a shipped device, and the figures of probes in them.
#include <cmath>
#include <set>

#include "model/device.hpp"
#include "model/probe_keys.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr const char* overlay = R"(
base = "h200"

[l2]
bandwidth = { value = "9.7 TB/s", interval = "+- 0.5 %", clock = "1.98 GHz", date = "2026-11-29T20:00:00Z", command = "tilemeter probe", source = "probe.l2.read" }

[probe.hbm]
read = { value = "4.4 TB/s", interval = "+- 0.25 %", source = "x" }

[probe.wgmma.bf16.n64]
ss = { value = "4050 FLOP/clk/SM", interval = "+- 0 %", source = "x" }
rs_mn = { value = "4060.5 FLOP/clk/SM", source = "x" }

[probe.l2]
knee = { value = "46080 KiB", source = "x" }
)";

Device parse_overlay(const std::string& text) { return parse_device(text, "mine.toml"); }

/// The overlay with one piece of text replaced.
std::string overlaid(const std::string& from, const std::string& to) {
  std::string text = overlay;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("an overlay file is its base with what it states replaced") {
  const Device device = parse_overlay(overlay);
  CHECK(device.name == "h200");
  CHECK(device.hbm.bandwidth.value == 4.8e12);
  CHECK(device.l2.bandwidth->value == 9.7e12);
  for (const DeviceFact& fact : device_rows(device)) {
    if (fact.key != "l2.bandwidth") continue;
    CHECK(fact.provenance == Provenance{"+- 0.5 %", "1.98 GHz", "2026-11-29T20:00:00Z", "tilemeter probe"});
  }
}

TEST_CASE("figures of probes are found by key, in SI units, with their intervals") {
  const Device device = parse_overlay(overlay);
  REQUIRE(device.probes.size() == 4);
  CHECK(device.probes.at("probe.hbm.read").value == 4.4e12);
  CHECK(*device.probes.at("probe.hbm.read").half_width95 == Approx(11e9).epsilon(0).margin(1e3));
  CHECK(device.probes.at("probe.wgmma.bf16.n64.ss").half_width95 == 0.0);
  CHECK(device.probes.at("probe.wgmma.bf16.n64.rs_mn").value == 4060.5);
  CHECK_FALSE(device.probes.at("probe.wgmma.bf16.n64.rs_mn").half_width95.has_value());
  CHECK(device.probes.at("probe.l2.knee").value == 46080.0 * 1024);
  CHECK(load_device("h200").probes.empty());
}

TEST_CASE("settings on top of an overlay keep what they do not change") {
  Device device = parse_overlay(overlay);
  apply_setting(device, "l2.bandwidth=8 TB/s");
  CHECK(device.probes.at("probe.hbm.read").half_width95.has_value());
  for (const DeviceFact& fact : device_rows(device)) {
    if (fact.key == "l2.bandwidth") CHECK(fact == DeviceFact{"l2.bandwidth", "8 TB/s", "--set"});
  }
}

TEST_CASE("wrong overlays name key, finding and expectation") {
  struct Case {
    std::string from, to;
    std::vector<std::string> expected;
  };
  const std::vector<Case> cases = {
      {"\"h200\"", "\"h300\"", {"mine.toml: base \"h300\"", "unknown device", "did you mean \"h200\"?"}},
      {"\"h200\"", "\"h20\" # ", {"mine.toml"}},
      {"\"h200\"", "200", {"mine.toml: base", "200", "the name of a shipped device"}},
      {"base = \"h200\"", "", {"name is missing"}},
      {"+- 0.5 %", "0.5 %", {"l2.bandwidth.interval \"0.5 %\"", "+- 0.3 %"}},
      {"+- 0.5 %", "+- -1 %", {"l2.bandwidth.interval"}},
      {"+- 0.5 %", "+- 1e %", {"l2.bandwidth.interval"}},
      {"+- 0.5 %", "+- nan %", {"l2.bandwidth.interval"}},
      {"\"+- 0.5 %\"", "0.5", {"l2.bandwidth.interval", "a number with a fraction", "a share of the value"}},
      {"1.98 GHz", "1.98", {"l2.bandwidth.clock \"1.98\"", "kHz MHz GHz"}},
      {"2026-11-29T20:00:00Z", "29.11.2026", {"l2.bandwidth.date \"29.11.2026\"", "2025-01-31T12:00:00Z"}},
      {"\"tilemeter probe\"", "\"\"", {"l2.bandwidth.command", "a command line"}},
      {"command", "commnad", {"unknown key \"commnad\"", "interval, clock, date and command"}},
      {"read = ", "red = ", {"unknown key \"probe.hbm.red\"", "did you mean \"probe.hbm.read\"?", "probe.hbm.copy"}},
      {"rs_mn", "rs_kn", {"unknown key \"probe.wgmma.bf16.n64.rs_kn\""}},
      {"4050 FLOP/clk/SM", "4050 FLOP/clk", {"probe.wgmma.bf16.n64.ss", "FLOP/clk/SM"}},
      {"4050 FLOP/clk/SM", "-4050 FLOP/clk/SM", {"positive"}},
      {"4050 FLOP/clk/SM", "4.0.5 FLOP/clk/SM", {"positive"}},
      {"\"4.4 TB/s\"", "4", {"probe.hbm.read", "the bare number 4", "a figure of a probe in B/s"}},
      {"\"4.4 TB/s\"", "\"4.4 TFLOP/s\"", {"probe.hbm.read", "MB/s GB/s TB/s PB/s"}},
  };
  for (const Case& wrong : cases) {
    CAPTURE(wrong.from, wrong.to);
    if (wrong.to == "\"h20\" # ") {
      CHECK(parse_overlay(overlaid(wrong.from, wrong.to)).name == "h20");
      continue;
    }
    CHECK_THROWS_AS(parse_overlay(overlaid(wrong.from, wrong.to)), InputError);
    for (const std::string& words : wrong.expected)
      CHECK_THROWS_WITH(parse_overlay(overlaid(wrong.from, wrong.to)), contains(words));
  }
}

TEST_CASE("an overlay is applied to its own base only") {
  Device device = load_device("h100-sxm");
  CHECK_THROWS_WITH(apply_overlay(device, overlay, "mine.toml"), contains("base \"h200\"") && contains("h100-sxm"));
  device = load_device("h200");
  apply_overlay(device, overlay, "mine.toml");
  CHECK(device.probes.size() == 4);
}

TEST_CASE("every key of the probes is there once, and its figures can be written and read back") {
  std::set<std::string> keys;
  for (const ProbeKey& key : probe_keys()) {
    CAPTURE(key.key);
    CHECK(keys.insert(key.key).second);
    CHECK(is_below_probe(key.key));
    CHECK_FALSE(key.measures.empty());
    CHECK(find_probe_key(key.key) == &key);
    // From a hundredth to 10^14 in steps that do not fall on round numbers; times are short, bytes whole.
    for (double value = 0.0123456; value < 1e14; value *= 71.3) {
      double figure = value;
      if (key.unit == ProbeUnit::seconds) figure = value * 1e-7;
      if (key.unit == ProbeUnit::bytes) figure = 1024 * std::ceil(value);
      if (key.unit == ProbeUnit::bytes_per_second || key.unit == ProbeUnit::operations_per_second) figure += 1e6;
      if (key.unit == ProbeUnit::hertz) figure += 1e5;
      if (key.unit == ProbeUnit::seconds && figure > 100) continue;
      if (key.unit == ProbeUnit::hertz && figure > 1e12) continue;
      if (key.unit == ProbeUnit::watts && (figure < 1 || figure > 1e5)) continue;
      const std::string text = probe_text(key.unit, figure);
      CAPTURE(text);
      CHECK(parse_probe(key.unit, text, "x") == Approx(figure).epsilon(0).margin(6e-4 * figure));
    }
  }
  CHECK(find_probe_key("probe.hbm") == nullptr);
  CHECK(keys.count("probe.wgmma.bf16.n128.ss") == 1);
}
