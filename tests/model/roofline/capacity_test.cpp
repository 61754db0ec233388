// Critical batches, decoding steps, KV caches and fusion, against worked figures.
#include <cmath>

#include "model/critical_batch.hpp"
#include "model/decode.hpp"
#include "model/fusion.hpp"
#include "model/kv_cache.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr OpsPerSecond peak{989e12};
constexpr BytesPerSecond bandwidth{3.35e12};

NumberFormat int4_in_groups(Count size, Count scale_bits, Count zero_bits) {
  NumberFormat format = number_format("--weight-dtype", "int4");
  format.grouping = Grouping{size, scale_bits, zero_bits};
  return format;
}

/// Parameters of a dense Llama: embedding and head apart, gated feed-forward, no bias.
Count llama_parameters(Count layers, Count width, Count inner, Count kv_width, Count words) {
  const Count layer = 2 * width * width + 2 * width * kv_width + 3 * width * inner + 2 * width;
  return layers * layer + 2 * words * width + width;
}

Problem decode(Count batch, Count heads, Count kv_heads, Count keys) {
  Problem problem;
  problem.batch = batch;
  problem.heads = heads;
  problem.kv_heads = kv_heads;
  problem.seq_q = 1;
  problem.seq_k = keys;
  problem.head_dim = problem.head_dim_v = 128;
  problem.dtype = DType::bf16;
  return problem;
}

CacheRequest llama_cache(Count tokens, Bytes memory) {
  return {.model = find_model("--kv-cache", "llama-3-8b"),
          .weights = number_format("", "bf16"),
          .cache = number_format("", "bf16"),
          .tokens = tokens,
          .memory = memory,
          .reserve = Bytes(0)};
}

}  // namespace

TEST_CASE("critical batches follow the bytes of a weight") {
  CHECK(critical_batch(peak, bandwidth, 2) == Approx(295.22).margin(0.005));
  CHECK(critical_batch({989.4e12}, bandwidth, 2) == Approx(295.34).margin(0.005));
  CHECK(critical_batch(peak, bandwidth, 1) == Approx(147.61).margin(0.005));
  CHECK(critical_batch({1979e12}, bandwidth, 1) == Approx(295.37).margin(0.005));
  CHECK(critical_batch(peak, bandwidth, int4_in_groups(128, 16, 0).bytes_per_element()) == Approx(76.11).margin(0.005));
}

TEST_CASE("activations raise the critical batch, or leave none") {
  const auto with = [](Count size, double weight_bytes) {
    return critical_batch(peak, bandwidth, {size, size, weight_bytes, 2});
  };
  CHECK(with(4096, 2).value() == Approx(344.95).margin(0.005));
  CHECK(with(4096, 1).value() == Approx(172.475).margin(0.005));
  CHECK_FALSE(with(512, 2).has_value());
}

TEST_CASE("at the critical batch arithmetic and memory take the same time") {
  const WeightLayer layer{3000, 11000, 1, 2};
  const double batch = critical_batch(peak, bandwidth, layer).value();
  const double flops = 2.0 * 3000 * 11000 * batch;
  const double bytes = 3000.0 * 11000 * 1 + batch * 2 * (3000 + 11000);
  CHECK(flops / peak.value == Approx(bytes / bandwidth.value));
}

TEST_CASE("grouped formats carry scales and zero points") {
  CHECK(int4_in_groups(128, 16, 0).bytes_per_element() == 0.515625);
  CHECK(int4_in_groups(128, 16, 4).bytes_per_element() == 0.51953125);
  CHECK(int4_in_groups(128, 16, 0).stored(256) == Bytes(132));
  CHECK(int4_in_groups(128, 16, 0).stored(129) == Bytes(69));  // 516 + 32 bits, rounded up
  CHECK(number_format("", "int4").stored(3) == Bytes(2));
  CHECK_THROWS_WITH(number_format("--weight-dtype", "int3"), contains("--weight-dtype \"int3\"") && contains("int4"));
  CHECK_THROWS_AS(number_format("", "fp64").stored(Count{1} << 62), UnnamedOverflow);
}

TEST_CASE("a decoding step is counted exactly") {
  const DecodeCost cost = decode_cost(decode(4, 32, 32, 131072));
  CHECK(cost.flops == Flops(8'589'934'592));
  CHECK(cost.least() == Bytes(8'590'000'128));
  const DecodeCost grouped = decode_cost(decode(4, 96, 8, 65536));
  CHECK(grouped.cache == Bytes(1'073'741'824));
  CHECK(grouped.cache_packed == grouped.cache);
  CHECK(grouped.cache_unpacked == Bytes(12 * Count{1'073'741'824}));
  CHECK(grouped.appended == Bytes(4 * 8 * 2 * 128 * 2));
}

TEST_CASE("decode intensity is g N / (N + g), whatever the batch") {
  for (const Count batch : {1, 64}) {
    const DecodeCost cost = decode_cost(decode(batch, 32, 8, 8192));
    const double intensity = static_cast<double>(cost.flops.value()) / static_cast<double>(cost.least().value());
    CHECK(intensity == Approx(4.0 * 8192 / 8196));
  }
}

TEST_CASE("sequences beside Llama-3-8B on 80 GB") {
  const CacheCapacity capacity = cache_capacity(llama_cache(8192, Bytes(80'000'000'000)));
  CHECK(capacity.per_token == Bytes(131072));
  CHECK(capacity.per_sequence == Bytes(1'073'741'824));
  CHECK(capacity.sequences == 59);
  CHECK(capacity.sequences_exact == Approx(59.55).margin(0.005));
  CHECK(cache_capacity(llama_cache(8192, Bytes(Count{80} << 30))).sequences == 65);
  CHECK(cache_capacity(llama_cache(8000, Bytes(80'000'000'000))).sequences == 60);
}

TEST_CASE("weights that do not fit leave no sequence and say by how much") {
  const CacheCapacity capacity = cache_capacity(llama_cache(8192, Bytes(16'000'000'000)));
  CHECK(capacity.sequences == 0);
  CHECK(capacity.missing == Bytes(2 * Count{8'030'261'248} - 16'000'000'000));
}

TEST_CASE("parameters of the known models are the sums of their weight shapes") {
  const auto parameters = [](std::string_view name) { return find_model("", name).parameters; };
  CHECK(parameters("llama-2-7b") == llama_parameters(32, 4096, 11008, 4096, 32000));
  CHECK(parameters("llama-2-70b") == llama_parameters(80, 8192, 28672, 1024, 32000));
  CHECK(parameters("llama-3-8b") == llama_parameters(32, 4096, 14336, 1024, 128256));
  CHECK(parameters("llama-3-70b") == llama_parameters(80, 8192, 28672, 1024, 128256));
  CHECK(parameters("llama-3.1-405b") == llama_parameters(126, 16384, 53248, 1024, 128256));
  CHECK(parameters("mistral-7b-v0.3") == llama_parameters(32, 4096, 14336, 1024, 32768));
  for (const ModelShape& model : known_models()) CHECK_FALSE(model.source.empty());
  CHECK_THROWS_WITH(find_model("--kv-cache", "llama-3-9b"), contains("did you mean") && contains("llama-3-8b"));
}

TEST_CASE("fusion saves all but one pass over the chain, and no side input") {
  const Chain plain{.length = 1000, .side = {0, 0, 0}};
  CHECK(unfused(plain).total() == Elements(6000));
  CHECK(fused(plain).total() == Elements(2000));
  const Chain mixed{.length = 1000, .side = {0, 1000, 10}};
  CHECK(unfused(mixed).read == Elements(4010));
  CHECK(fused(mixed).read == Elements(2010));
  CHECK(fused(mixed).write == Elements(1000));
}

TEST_CASE("accesses of a softmax") {
  const auto accesses = [](Variant variant) { return softmax_moves(variant, 100).total().value(); };
  CHECK(accesses(Variant::naive) == 300);
  CHECK(accesses(Variant::safe) == 400);
  CHECK(accesses(Variant::online) == 300);
  CHECK(accesses(Variant::resident) == 200);
}
