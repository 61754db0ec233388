// Plans and records of measurements, without a GPU.
#include "tools/measure/json.hpp"

#include <algorithm>

#include "sim/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tools/output/csv.hpp"

using namespace tilemeter;

namespace {

PointRequest request_of(std::string_view algorithm, Count seq, Count head_dim) {
  PointRequest request;
  request.algorithm = &find_algorithm(algorithm);
  request.problem.seq_q = request.problem.seq_k = seq;
  request.problem.head_dim = head_dim;
  request.problem.dtype = DType::fp32;
  return request;
}

const kernels::Kernel& plain() { return kernels::kernel_named("flash2_plain"); }

kernels::GpuInfo gpu(std::string name, Count sms, Count gigabytes) {
  return {.name = std::move(name),
          .driver = "580.159.04",
          .toolkit = "13.0",
          .sm_count = sms,
          .l2_size = Bytes(60 << 20),
          .memory_size = Bytes(gigabytes * 1'000'000'000),
          .clock_boost = {1.98e9}};
}

TimeSummary summary_of(double seconds) {
  TimedSamples samples{.cache = CacheState::cold, .seconds = std::vector<double>(20, seconds)};
  samples.readings = {{.sm_clock = Hertz{1.9e9}, .power = Watts{500}}};
  return summarise(samples);
}

/// flash2_plain at N = 256, d = 64, as the ledger has it, 100 us.
Measurement right_measurement() {
  Measurement measurement{.plan = plan_of(request_of("flash2", 256, 64), &plain()), .bill = {}};
  measurement.bill = evaluate(measurement.plan.request, {});
  measurement.counted = measurement.bill.counted;
  measurement.gate = {
      .tensors = {{TensorName::O, {.error = 1e-7, .tolerance = 1e-5}}}, .rows = 256, .rows_in_all = 256};
  const TimeSummary summary = summary_of(100e-6);
  const DevicePeaks peaks = peaks_of(load_device("h200"), DType::fp32, gpu("NVIDIA H200", 132, 150));
  measurement.times.push_back({Regime::cold, summary, judge(summary, demand_of(measurement.bill), peaks)});
  return measurement;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a plan takes the kernel's first tiling of the head dimension, and what was given of it") {
  const MeasurePlan plan = plan_of(request_of("flash2", 1000, 64), nullptr);
  CHECK(plan.kernel == &plain());
  CHECK(!plan.refusal);
  CHECK(plan.point.tiling.block_q == 32);
  CHECK(plan.point.tiling.block_k == 32);
  PointRequest given = request_of("flash2", 1000, 64);
  given.block_q = 64;
  CHECK(plan_of(given, &plain()).point.tiling.block_k == 32);
  given.block_k = 64;
  CHECK(plan_of(given, &plain()).point.tiling.block_k == 64);
}

TEST_CASE("a plan of a layer takes the tiling that suits its tokens") {
  const auto tokens_of_tile = [](Count tokens, WeightType type, std::optional<Count> block_m = {}) {
    PointRequest request = request_of("weight_layer", 1, 64);
    request.problem.dtype = DType::bf16;
    request.options.weight_type = type;
    request.shapes = {.tokens = tokens, .d_in = 512, .d_out = 512};
    request.block_m = block_m;
    const MeasurePlan plan = plan_of(request, nullptr);
    INFO(plan.refusal.value_or(""));
    CHECK(!plan.refusal);
    return plan.point.tiling.block_m;
  };
  CHECK(tokens_of_tile(1, WeightType::bf16) == 64);
  CHECK(tokens_of_tile(65, WeightType::bf16) == 128);
  CHECK(tokens_of_tile(256, WeightType::bf16) == 256);
  CHECK(tokens_of_tile(384, WeightType::bf16) == 192);
  CHECK(tokens_of_tile(384, WeightType::bf16, 64) == 64);
  CHECK(tokens_of_tile(128, WeightType::int8) == 128);
  CHECK(tokens_of_tile(1, WeightType::int8) == 16);
}

TEST_CASE("B20, B21, A21: a plan refuses what the kernel is not compiled for, before any number") {
  for (const Count head_dim : {72, 96, 100}) {
    const MeasurePlan plan = plan_of(request_of("flash2", 256, head_dim), &plain());
    REQUIRE(plan.refusal);
    CHECK_THAT(*plan.refusal, contains("--head-dim/--head-dim-v " + std::to_string(head_dim)));
  }
  PointRequest tile = request_of("flash2", 256, 64);
  tile.block_q = 128;
  tile.block_k = 64;
  CHECK_THAT(plan_of(tile, &plain()).refusal.value_or(""), contains("128x64"));
  PointRequest half = request_of("flash2", 256, 64);
  half.problem.dtype = DType::fp64;
  CHECK_THAT(plan_of(half, &plain()).refusal.value_or(""), contains("--dtype fp64"));
  PointRequest unsafe = request_of("flash2", 256, 64);
  unsafe.options.mistake = Mistake::no_rescale;
  CHECK_THAT(plan_of(unsafe, &plain()).refusal.value_or(""), contains("--unsafe"));
  PointRequest segments = request_of("flash2", 256, 64);
  segments.segments = std::make_shared<std::vector<Segment>>(std::vector<Segment>{{10, 10}});
  CHECK_THAT(plan_of(segments, &plain()).refusal.value_or(""), contains("--segments"));
}

TEST_CASE("every kernel has a plan of its own for the first of its tilings") {
  for (const kernels::Kernel& kernel : kernels::catalog()) {
    INFO(kernel.name);
    const kernels::KernelTiling& tiling = kernel.tilings.front();
    PointRequest request = request_of(kernel.algorithm, 256, tiling.head_dim == 0 ? 64 : tiling.head_dim);
    if (tiling.head_dim_v != 0) request.head_dim_v = tiling.head_dim_v;
    request.problem.dtype = kernel.dtypes.front();
    request.shapes = {
        .m = 256, .n = 256, .k = 256, .tokens = 16, .d_in = 256, .d_out = 256, .rows = 64, .cols = 256, .length = 4096};
    if (kernel.name == "weight_layer_int8") request.options.weight_type = WeightType::int8;
    if (!kernel.variants.empty()) request.options.variant = kernel.variants.front();
    const MeasurePlan plan = plan_of(request, &kernel);
    INFO(plan.refusal.value_or(""));
    CHECK(!plan.refusal);
    CHECK(kernels::matches(tiling, plan.point));
  }
}

TEST_CASE("a kernel mirrors one algorithm, and some have none") {
  CHECK_THROWS_WITH(plan_of(request_of("flash1", 256, 64), &plain()), contains("mirrors flash2"));
  CHECK_THROWS_WITH(plan_of(request_of("standard_unfused", 256, 64), nullptr), contains("no kernel mirrors it"));
}

TEST_CASE("B14: half of the bytes are a difference, by tensor and direction") {
  Measurement measurement = right_measurement();
  CHECK(!difference(*measurement.counted, measurement.bill.counted));
  Work half = *measurement.counted;
  half[TensorName::K].read = Elements(half[TensorName::K].read.value() / 2);
  CHECK_THAT(difference(half, measurement.bill.counted).value_or(""), contains("K read"));
  Work more = *measurement.counted;
  more[TensorName::O].write += Elements(1);
  CHECK_THAT(difference(more, measurement.bill.counted).value_or(""), contains("O write"));
  Work tiles = *measurement.counted;
  ++tiles.tiles;
  CHECK_THAT(difference(tiles, measurement.bill.counted).value_or(""), contains("tiles"));
  Work wider = *measurement.counted;
  wider[TensorName::Q].read_bytes += Bytes(2);
  CHECK_THAT(difference(wider, measurement.bill.counted).value_or(""), contains("another type"));
}

TEST_CASE("gradients take 2.5 times the forward pass's FLOPs of the visible pairs, whatever the algorithm does") {
  for (const std::string_view algorithm : {"flash2_backward", "flash1_backward", "standard_backward"}) {
    PointRequest request = request_of(algorithm, 256, 64);
    CHECK(useful_flops(evaluate(request, {})) == Flops(10 * 256 * 256 * 64));
    request.problem.mask.kind = MaskKind::causal;
    CHECK(useful_flops(evaluate(request, {})) == Flops(10 * (256 * 257 / 2) * 64));
  }
}

TEST_CASE("a record has traffic per tensor, the gate, and times in SI units") {
  const Json json = measurement_json(right_measurement());
  CHECK(json["kernel"] == "flash2_plain");
  CHECK(json["supported"] == true);
  CHECK(json["failure"].is_null());
  CHECK(json["traffic"]["equals_ledger"] == true);
  CHECK(json["traffic"]["equals_closed_form"] == true);
  CHECK(json["traffic"]["tensors"]["Q"]["read_bytes"] == 256 * 64 * 4);
  CHECK(json["traffic"]["tensors"]["K"]["read_bytes"] == 8 * 256 * 64 * 4);
  CHECK(json["useful_flops"] == 4 * 256 * 256 * 64);
  CHECK(json["gate"]["tensors"]["O"]["error"] == 1e-7);
  const Json& time = json["times"][0];
  CHECK(time["regime"] == "cold");
  CHECK(time["seconds"]["median"] == 100e-6);
  CHECK(time["flops_per_second"].get<double>() == Approx(4.0 * 256 * 256 * 64 / 100e-6));
  CHECK(time["clocks"]["sm_hertz"] == 1.9e9);
  CHECK(time["watts"] == 500);
  CHECK(time["joules_per_launch"].is_null());
  CHECK(time["valid"] == true);
  Measurement sustained = right_measurement();
  sustained.times.front().regime = Regime::sustained;
  CHECK(measurement_json(sustained)["times"][0]["joules_per_launch"].get<double>() == Approx(0.05));
}

TEST_CASE("a point that fails or does not run has no time, in either form") {
  Measurement wrong = right_measurement();
  wrong.times.clear();
  wrong.counted.reset();
  wrong.failure = "wrong numbers: O: 3 elements are NaN";
  wrong.gate.failure = wrong.failure;
  Measurement refused = right_measurement();
  refused.refusal = "not compiled";
  const MeasureSetting setting{
      .gpu = gpu("NVIDIA H200", 132, 150), .date = "2025-01-31T12:00:00Z", .commit = "unknown"};
  const Json document = measure_document(setting, {right_measurement(), wrong, refused});
  CHECK(document["points"][0]["times"].size() == 1);
  CHECK(document["points"][1]["gate"]["ok"] == false);
  CHECK(!document["points"][1].contains("times"));
  CHECK(document["points"][2]["supported"] == false);
  CHECK(document["points"][2]["reason"] == "not compiled");
  CHECK(!document["points"][2].contains("times"));
  const std::string csv = measure_csv(document);
  CHECK(lines_of(csv) == 4);
  const Json rows = points_of_csv(csv, "csv");
  CHECK(rows[0]["seconds_median"] == 100e-6);
  CHECK(rows[0]["traffic"]["tensors"]["K"]["read_bytes"] == 8 * 256 * 64 * 4);
  CHECK(rows[0]["gpu_name"] == "NVIDIA H200");
  CHECK(rows[0]["commit"] == "unknown");
  for (const std::size_t row : {1U, 2U}) CHECK(!rows[row].contains("seconds_median"));
  CHECK(rows[1]["failure"] == *wrong.failure);
}

TEST_CASE("the GPU is recognised among the shipped devices") {
  const auto name = [](const kernels::GpuInfo& info) {
    const auto device = shipped_device(info);
    return device ? device->name : std::string("none");
  };
  CHECK(name(gpu("NVIDIA H200", 132, 150)) == "h200");
  CHECK(name(gpu("NVIDIA H100 80GB HBM3", 132, 85)) == "h100-sxm");
  CHECK(name(gpu("NVIDIA H100 NVL", 132, 100)) == "h100-nvl");
  CHECK(name(gpu("NVIDIA H100 PCIe", 114, 85)) == "h100-pcie");
  CHECK(name(gpu("NVIDIA A100-SXM4-80GB", 108, 85)) == "a100-80gb");
  CHECK(name(gpu("NVIDIA GeForce RTX 4090", 128, 25)) == "rtx4090");
  CHECK(name(gpu("NVIDIA H20", 78, 101)) == "h20");
  CHECK(name(gpu("NVIDIA H200", 66, 75)) == "none");
  CHECK(name(gpu("Another GPU", 132, 150)) == "none");
}

TEST_CASE("peaks follow the device and the type, and the L2 is the GPU's") {
  const kernels::GpuInfo info = gpu("NVIDIA H200", 132, 150);
  const DevicePeaks peaks = peaks_of(load_device("h200"), DType::bf16, info);
  CHECK(peaks.arithmetic->value == 989.4e12);
  CHECK(peaks.arithmetic_clock == Hertz{1.83e9});
  CHECK(peaks.highest_clock == Hertz{1.98e9});
  CHECK(peaks.hbm->value == 4.8e12);
  CHECK(peaks.l2 == Bytes(60 << 20));
  CHECK(peaks_of(load_device("h200"), DType::fp32, info).arithmetic->value == 66.9e12);
  const DevicePeaks unknown = peaks_of(std::nullopt, DType::bf16, info);
  CHECK(!unknown.arithmetic);
  CHECK(!unknown.hbm);
}
