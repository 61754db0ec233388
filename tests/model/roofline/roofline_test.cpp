// Ridges, bounds and shares of the roofline, against published figures.
#include "model/roofline.hpp"

#include "model/quantity.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

double hbm_ridge(std::string_view device, DType type) {
  return roofline_of(load_device(device), type).ridge(MemoryLevel::hbm).value();
}

}  // namespace

TEST_CASE("ridges of device memory are dense peak over bandwidth") {
  CHECK(hbm_ridge("h100-sxm", DType::bf16) == Approx(295.34).margin(0.005));
  CHECK(hbm_ridge("h200", DType::bf16) == Approx(206.1).margin(0.05));
  CHECK(hbm_ridge("h20", DType::fp16) == Approx(37));
  CHECK(hbm_ridge("a100-80gb", DType::bf16) == Approx(153.02).margin(0.005));
  CHECK(hbm_ridge("h100-sxm", DType::u8) == Approx(590.7).margin(0.05));
}

TEST_CASE("a level without a known bandwidth, and a type without a known rate, stay unknown") {
  const Roofline h100 = roofline_of(load_device("h100-sxm"), DType::bf16);
  CHECK(h100.roof(MemoryLevel::l2) == nullptr);
  CHECK_FALSE(h100.ridge(MemoryLevel::l2).has_value());
  const Roofline a100 = roofline_of(load_device("a100-80gb"), DType::bf16);
  CHECK(a100.ridge(MemoryLevel::l2).value() == Approx(312 / 7.219));
  const Roofline v100 = roofline_of(load_device("v100"), DType::bf16);
  CHECK_FALSE(v100.peak.has_value());
  CHECK(time_bound(v100, {.flops = Flops(1), .hbm = Bytes(1)}).binding == Binding::unknown);
  CHECK_FALSE(time_bound(v100, {.flops = Flops(1), .hbm = Bytes(1)}).seconds.has_value());
  CHECK(time_bound(v100, {.flops = Flops(0), .hbm = Bytes(900)}).seconds->value == Approx(1e-9));
  CHECK_FALSE(attainable_share(v100, {.flops = Flops(1), .hbm = Bytes(1)}).has_value());
}

TEST_CASE("types that no matrix unit takes fall to the multiply-add rate, and say so") {
  const Roofline single = roofline_of(load_device("h100-sxm"), DType::fp32);
  CHECK(single.unit == ComputeUnit::fma);
  CHECK(single.peak->value == Approx(66.9e12));
  CHECK(roofline_of(load_device("h100-sxm"), DType::bf16).unit == ComputeUnit::tensor);
  CHECK(roofline_of(load_device("v100"), DType::fp64).unit == ComputeUnit::fma);
}

TEST_CASE("the longest of the parts sets the time, and names itself") {
  const Roofline h20 = roofline_of(load_device("h20"), DType::fp16);
  const TimeBound attention = time_bound(h20, {.flops = Flops(68'719'476'736), .hbm = Bytes(67'108'864)});
  CHECK(attention.seconds->value == Approx(0.464e-3).epsilon(0.002));
  CHECK(attention.binding == Binding::arithmetic);
  const Roofline b200 = roofline_of(load_device("b200"), DType::bf16);
  const TimeBound decode = time_bound(b200, {.flops = Flops(8'589'934'592), .hbm = Bytes(8'590'000'128)});
  CHECK(decode.seconds->value == Approx(1.120e-3).epsilon(0.001));
  CHECK(decode.binding == Binding::hbm);
  const Roofline a100 = roofline_of(load_device("a100-80gb"), DType::bf16);
  CHECK(time_bound(a100, {.flops = Flops(1), .hbm = Bytes(1000), .l2 = Bytes(1'000'000)}).binding == Binding::l2);
}

TEST_CASE("a sustained share slows device memory and nothing else") {
  const Device device = load_device("a100-80gb");
  const Roofline peak = roofline_of(device, DType::bf16);
  const Roofline sustained = at_share(peak, sustained_share(device).value());
  CHECK(sustained.roof(MemoryLevel::hbm)->bandwidth.value == Approx(0.80 * 2.039e12));
  CHECK(sustained.roof(MemoryLevel::l2)->bandwidth == peak.roof(MemoryLevel::l2)->bandwidth);
  CHECK(sustained.peak == peak.peak);
}

TEST_CASE("with nothing to do the time is the floor, once") {
  Roofline roofline = roofline_of(load_device("h100-sxm"), DType::bf16);
  const Cost nothing{.flops = Flops(0), .hbm = Bytes(0), .l2 = Bytes(0)};
  CHECK(time_bound(roofline, nothing).seconds->value == 0);
  CHECK(time_bound(roofline, nothing).binding == Binding::none);
  roofline.floor = Seconds{4e-6};
  CHECK(time_bound(roofline, nothing).seconds->value == 4e-6);
  const Cost megabyte{.flops = Flops(0), .hbm = Bytes(1'000'000)};
  CHECK(time_bound(roofline, megabyte).seconds->value == Approx(4e-6 + 1e6 / 3.35e12));
}

TEST_CASE("the attainable share is that of the tightest level") {
  const Roofline a100 = roofline_of(load_device("a100-80gb"), DType::bf16);
  CHECK(attainable_share(a100, {.flops = Flops(5), .hbm = Bytes(4)}).value() == Approx(0.00817).epsilon(0.001));
  CHECK(attainable_share(a100, {.flops = Flops(1'000'000), .hbm = Bytes(4)}).value() == 1);
  CHECK(attainable_share(a100, {.flops = Flops(1000), .hbm = Bytes(1), .l2 = Bytes(1000)}).value() ==
        Approx(7.219 / 312));
  CHECK(attainable_share(a100, {.flops = Flops(0), .hbm = Bytes(4)}).value() == 0);
  CHECK(attainable(a100, MemoryLevel::hbm, 1e9)->value == 312e12);
  CHECK(attainable(a100, MemoryLevel::hbm, 2)->value == Approx(2 * 2.039e12));
  CHECK_FALSE(intensity(Flops(3), Bytes(0)).has_value());
}

TEST_CASE("bandwidth from bus width and clock, and in binary units") {
  CHECK(bus_bandwidth(256, Hertz{5005e6}, 2).value == Approx(320.32e9));                 // GTX 1080
  CHECK(bus_bandwidth(7680, Hertz{3996e6}, 2).value == Approx(7.672e12).epsilon(1e-4));  // B200
  CHECK(to_text(bus_bandwidth(256, Hertz{5005e6}, 2)) == "320.3 GB/s");
  CHECK(binary_text(BytesPerSecond{3.35e12}) == "3.047 TiB/s");
}

TEST_CASE("times and shares are read and written with their units") {
  CHECK(parse_time("12.8us", "--time").value == Approx(12.8e-6));
  CHECK(parse_time("0.5 ms", "--time").value == Approx(0.5e-3));
  CHECK_THROWS_WITH(parse_time("12", "--time"), contains("--time \"12\"") && contains("us"));
  CHECK(to_text(Seconds{1.5e-3}) == "1.5 ms");
  CHECK(to_text(Seconds{0.99999e-3}) == "1 ms");
  CHECK(to_text(Seconds{0}) == "0 s");
  CHECK(parse_share("82 %", "x") == Approx(0.82));
  CHECK(parse_share("0.82", "x") == 0.82);
  for (const char* wrong : {"0", "1.01", "101%", "-1", "fast", "", "0.5 x"}) {
    CHECK_THROWS_WITH(parse_share(wrong, "--sustained"), contains("--sustained"));
  }
}

TEST_CASE("8-bit integer rates stand in the device files, and are what the matrix units imply") {
  for (const std::string_view name : device_names()) {
    CAPTURE(name);
    const Device device = load_device(name);
    const auto integer = device.rate(ComputeUnit::tensor, DType::u8);
    if (name == "v100") {
      CHECK_FALSE(integer.has_value());
      continue;
    }
    REQUIRE(integer.has_value());
    const double ratio = integer->value / device.require_rate(ComputeUnit::tensor, DType::fp16).value;
    const bool halved = name.starts_with("rtx");  // GeForce halves fp16 with fp32 accumulation, not int8
    CHECK(ratio == Approx(halved ? 4 : 2).epsilon(0.015));
  }
}
