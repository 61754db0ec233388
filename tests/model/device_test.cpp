#include "model/device.hpp"

#include <algorithm>

#include "model/quantity.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Device with(std::string_view name, const std::vector<std::string>& settings) {
  Device device = load_device(name);
  apply_settings(device, settings);
  return device;
}

DeviceFact row(const Device& device, std::string_view key) {
  const auto rows = device_rows(device);
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const DeviceFact& fact) { return fact.key == key; });
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_CASE("a device is found by name or unique prefix in any case") {
  CHECK(load_device("H200").name == "h200");
  CHECK(load_device("b2").name == "b200");
  CHECK(load_device("RTX50").name == "rtx5090");
  CHECK(load_device("a100-8").name == "a100-80gb");
  CHECK(load_device("h20").name == "h20");  // exact, though h200 starts with it
}

TEST_CASE("an ambiguous prefix is refused with the devices it fits") {
  CHECK_THROWS_AS(load_device("h100"), InputError);
  CHECK_THROWS_WITH(load_device("h100"), contains("\"h100\"") && contains("h100-sxm h100-pcie h100-nvl"));
  CHECK_THROWS_WITH(load_device("a100"), contains("a100-40gb a100-80gb"));
}

TEST_CASE("an unknown device is refused with all names, and a suggestion when one is close") {
  for (const std::string name : {"MI300X", "", " ", "h200 ", "h200x", "nope"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(load_device(name), contains("unknown device") && contains("a100-40gb") && contains(" t4"));
  }
  CHECK_THROWS_WITH(load_device("rtx-4090"), contains("did you mean \"rtx4090\"?"));
}

TEST_CASE("shared memory limits blocks exactly") {
  const Device h100 = load_device("h100-sxm");
  CHECK(h100.fits_block(Bytes(232448)));
  CHECK_FALSE(h100.fits_block(Bytes(232449)));  // 227 KiB, not the 228 KiB of the SM
  CHECK(h100.blocks_by_shared(Bytes(232449)).value() == 0);
  CHECK(h100.blocks_by_shared(Bytes(232448)).value() == 1);
  CHECK(h100.blocks_by_shared(Bytes(98304)).value() == 2);
  CHECK(h100.blocks_by_shared(Bytes(65536)).value() == 3);
  CHECK(h100.blocks_by_shared(Bytes(0)).value() == 228);
  CHECK(h100.shared_taken(Bytes(45668)) == Bytes(46720));  // 365 units of 128 B
  CHECK(h100.blocks_by_shared(Bytes(45568)).value() == 5);
  CHECK(h100.blocks_by_shared(Bytes(45668)).value() == 4);
  const Device a100 = load_device("a100-40gb");
  CHECK(a100.blocks_by_shared(Bytes(65536)).value() == 2);
  CHECK(a100.blocks_by_shared(Bytes(131072)).value() == 1);
  const Device rtx3090 = load_device("rtx3090");
  CHECK(rtx3090.blocks_by_shared(Bytes(49152)).value() == 2);
  CHECK(rtx3090.blocks_by_shared(Bytes(101378)).value() == 0);
  CHECK(load_device("rtx5090").blocks_by_shared(Bytes(106496)).value() == 0);
  CHECK(load_device("rtx5090").sm.shared_per_block == Bytes(101376));
  const Device t4 = load_device("t4");
  CHECK(t4.blocks_by_shared(Bytes(32768)).value() == 2);
  CHECK_FALSE(t4.blocks_by_shared(Bytes(0)).has_value());
}

TEST_CASE("mma falls back to tensor, and an unknown rate is refused by key") {
  Device h200 = load_device("h200");
  CHECK(h200.rate(ComputeUnit::mma, DType::bf16) == h200.rate(ComputeUnit::tensor, DType::bf16));
  apply_setting(h200, "rate.mma.bf16=620TFLOP/s");
  CHECK(h200.require_rate(ComputeUnit::mma, DType::bf16).value == 620e12);
  CHECK(h200.require_rate(ComputeUnit::tensor, DType::bf16).value == 989.4e12);
  const Device v100 = load_device("v100");
  CHECK_FALSE(v100.rate(ComputeUnit::tensor, DType::bf16).has_value());
  CHECK_FALSE(v100.rate(ComputeUnit::tensor, DType::u8).has_value());
  CHECK_THROWS_WITH(v100.require_rate(ComputeUnit::tensor, DType::bf16),
                    contains("device v100 has no rate.tensor.bf16") && contains("for: fp16;") && contains("--set"));
}

TEST_CASE("rows show every key as it was written, with its source") {
  const Device h200 = load_device("h200");
  CHECK(row(h200, "hbm.bandwidth").value == "4.8 TB/s");
  CHECK(row(h200, "hbm.bandwidth").source.find("H200") != std::string::npos);
  CHECK(row(h200, "l2.bandwidth") == DeviceFact{"l2.bandwidth", "unknown", ""});
  CHECK(device_rows(h200).front() == row(h200, "name"));
  const auto keys = device_rows(h200);
  CHECK(std::none_of(keys.begin(), keys.end(), [](const DeviceFact& fact) { return fact.key == "rate.mma.fp16"; }));
}

TEST_CASE("a setting replaces one quantity and names itself as the source") {
  for (const std::string text : {"sm.count=66", "sm.count= 66 "}) CHECK(with("h200", {text}).sm.count == 66);
  for (const std::string text : {"hbm.bandwidth=3.35TB/s", "hbm.bandwidth=3.35 TB/s", "hbm.bandwidth=3350GB/s"}) {
    CHECK(with("h200", {text}).hbm.bandwidth.value == 3.35e12);
  }
  const Device device = with("h200", {"l2.bandwidth=9.7TB/s"});
  CHECK(device.l2.bandwidth.value().value == 9.7e12);
  CHECK(row(device, "l2.bandwidth") == DeviceFact{"l2.bandwidth", "9.7 TB/s", "--set"});
  CHECK(row(device, "hbm.bandwidth") == row(load_device("h200"), "hbm.bandwidth"));
  CHECK(with("h200", {"sm.count=66", "sm.count=33"}).sm.count == 33);
}

TEST_CASE("a large SRAM budget is printed back unchanged") {
  const Device device = with("h200", {"sm.shared_per_block=1677721600 B"});
  CHECK(row(device, "sm.shared_per_block").value == "1677721600 B");
  CHECK(device.sm.shared_per_block == Bytes(1677721600));
}

TEST_CASE("a larger block raises the SM's shared memory and says so") {
  const Device device = with("h200", {"sm.shared_per_block=512KiB"});
  CHECK(device.sm.shared_per_block == Bytes(524288));
  CHECK(device.sm.shared_per_sm == Bytes(525312));
  CHECK(device.blocks_by_shared(Bytes(524288)).value() == 1);
  CHECK(row(device, "sm.shared_per_sm").value == "513 KiB");
  CHECK(row(device, "sm.shared_per_sm").source ==
        "--set, raised to hold one block and its sm.shared_reserved (was 228 KiB)");
  CHECK(with("h200", {"sm.shared_per_block=512KiB", "sm.shared_per_sm=2MiB"}).sm.shared_per_sm == Bytes(2 << 20));
  CHECK(with("h200", {"sm.shared_per_sm=2MiB", "sm.shared_per_block=512KiB"}).sm.shared_per_sm == Bytes(2 << 20));
  CHECK(with("h200", {"sm.shared_reserved=2KiB"}).sm.shared_per_sm == Bytes(229 * 1024));
  CHECK(with("h200", {"sm.shared_per_block=100KiB"}).sm.shared_per_sm == Bytes(228 * 1024));
}

TEST_CASE("a smaller block lowers the default with it") {
  const Device device = with("h200", {"sm.shared_per_block=32KiB"});
  CHECK(device.sm.shared_default == Bytes(32768));
  CHECK(row(device, "sm.shared_default").source == "--set, lowered to sm.shared_per_block (was 48 KiB)");
}

TEST_CASE("contradicting settings are refused with the key to change") {
  CHECK_THROWS_WITH(with("h200", {"sm.shared_per_sm=64KiB"}), contains("sm.shared_per_block 227 KiB") &&
                                                                  contains("lower sm.shared_per_block") &&
                                                                  contains("raise sm.shared_per_sm to 228 KiB"));
  CHECK_THROWS_AS(with("h200", {"sm.shared_per_sm=1MiB", "sm.shared_per_block=1MiB"}), InputError);
  CHECK_THROWS_WITH(with("h200", {"sm.shared_default=1MiB"}), contains("sm.shared_default 1 MiB"));
  CHECK(with("h200", {"sm.shared_per_sm=64KiB", "sm.shared_per_block=60KiB"}).sm.shared_per_sm == Bytes(65536));
}

TEST_CASE("a wrong setting names itself and leaves the device as it was") {
  struct Case {
    std::string setting, expected;
  };
  const std::vector<Case> cases = {{"", "KEY=VALUE"},
                                   {"sm.count", "KEY=VALUE"},
                                   {"=5", "KEY=VALUE"},
                                   {"sm.count=", "whole number"},
                                   {"sm.cuont=5", "did you mean \"sm.count\"?"},
                                   {"nonsense=5", "the keys are: name arch sm.count"},
                                   {"rate.tensor.fp4=1 PFLOP/s", "unknown key"},
                                   {"sm.count=0", "whole number of at least 1"},
                                   {"sm.count=-3", "whole number of at least 1"},
                                   {"sm.count=132 SMs", "whole number of at least 1"},
                                   {"sm.threads=1000", "multiple of 32"},
                                   {"sm.shared_per_block=512KB", "B KiB MiB GiB"},
                                   {"sm.shared_per_block=0", "B KiB MiB GiB"},
                                   {"sm.shared_per_block=9223372036854775808 B", "2^63 - 1"},
                                   {"sm.shared_per_block=9223372036854775807 B", "2^63 - 1"},
                                   {"sm.shared_per_block=1025 GiB", "no GPU has this"},
                                   {"sm.shared_per_block=1=2", "B KiB MiB GiB"},
                                   {"hbm.bandwidth=9 PB/s", "no GPU has this; expected 1 GB/s to 200 TB/s"},
                                   {"hbm.bandwidth=nan", "MB/s GB/s TB/s PB/s"},
                                   {"clock.boost=1.98", "kHz MHz GHz"},
                                   {"clock.boost=90 GHz", "no GPU has this"},
                                   {"power.limit=1000 kW", "no GPU has this"},
                                   {"rate.exp.fp32=3.9 TFLOP/s", "Gop/s Top/s Pop/s"},
                                   {"rate.tensor.fp16=9999 PFLOP/s", "no GPU has this"},
                                   {"arch=gfx942", "sm_90"},
                                   {"l2.size=50 MB", "B KiB MiB GiB"}};
  for (const Case& wrong : cases) {
    CAPTURE(wrong.setting);
    Device device = load_device("h200");
    CHECK_THROWS_AS(apply_setting(device, wrong.setting), InputError);
    CHECK_THROWS_WITH(apply_setting(device, wrong.setting), contains("--set") && contains(wrong.expected));
    CHECK(device_rows(device) == device_rows(load_device("h200")));
  }
}

TEST_CASE("an overlay replaces what it states and keeps the rest") {
  Device device = load_device("h200");
  apply_overlay(device, "[l2]\nbandwidth = { value = \"9.7 TB/s\", source = \"probe\" }\n", "probe.toml");
  CHECK(row(device, "l2.bandwidth") == DeviceFact{"l2.bandwidth", "9.7 TB/s", "probe"});
  CHECK(device.sm.count == 132);
  CHECK_THROWS_WITH(apply_overlay(device, "[l2]\nbandwidth = { value = \"9.7\", source = \"probe\" }\n", "probe.toml"),
                    contains("probe.toml: l2.bandwidth"));
}
