// Law 2: every way of counting gives the same bill, per tensor, to the element.
#include <cstdio>
#include <random>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr std::uint64_t bill_seed = 20261129;

/// What differs between two bills, in words; empty when they are equal.
std::string difference(const Work& a, const Work& b) {
  std::string text;
  const auto note = [&](std::string_view figure, Count left, Count right) {
    if (left != right)
      text += std::string(figure) + " " + std::to_string(left) + " against " + std::to_string(right) + "; ";
  };
  for (std::size_t i = 0; i < tensor_count; ++i) {
    const std::string name(tensor_names[i]);
    note(name + " read", a.tensors[i].read.value(), b.tensors[i].read.value());
    note(name + " write", a.tensors[i].write.value(), b.tensors[i].write.value());
    note(name + " read bytes", a.tensors[i].read_bytes.value(), b.tensors[i].read_bytes.value());
    note(name + " write bytes", a.tensors[i].write_bytes.value(), b.tensors[i].write_bytes.value());
  }
  note("flops", a.matmul_flops.value(), b.matmul_flops.value());
  note("exp scores", a.exp.scores, b.exp.scores);
  note("exp rescale", a.exp.rescale, b.exp.rescale);
  note("exp rescale_block", a.exp.rescale_block, b.exp.rescale_block);
  note("exp combine", a.exp.combine, b.exp.combine);
  note("tiles", a.tiles, b.tiles);
  return text;
}

Traffic sum_over(const std::vector<SmUse>& sms) {
  Traffic sum;
  for (const SmUse& sm : sms) sum += sm.traffic;
  return sum;
}

}  // namespace

TEST_CASE("folded = unfolded = sum over SMs = closed form, for every algorithm") {
  std::mt19937_64 random(bill_seed);
  std::printf("bill law: seed %llu\n", static_cast<unsigned long long>(bill_seed));
  for (int repetition = 0; repetition < testing::repetitions(3000); ++repetition) {
    const Case drawn = random_case(random, Extent::small);
    for (const Algorithm& algorithm : algorithms()) {
      const Case point = adapted(drawn, algorithm.formula(), random);
      INFO("--algorithm " << algorithm.name << " " << describe(point));
      const Counted folded = count(algorithm, point, unlimited);
      const Counted unfolded = count(algorithm, point, unlimited, Folding::unfolded);
      const auto sms = count_per_sm(algorithm, point, unlimited, 1 + repetition % 7);
      REQUIRE(difference(folded.work, unfolded.work).empty());
      REQUIRE(difference(folded.work, closed_form(algorithm.name, point)) == "");
      REQUIRE(sum_over(sms) == folded.work.total());
    }
  }
}

TEST_CASE("what a block allocates is the closed form of its footprint") {
  std::mt19937_64 random(bill_seed + 1);
  for (int repetition = 0; repetition < testing::repetitions(1000); ++repetition) {
    const Case drawn = random_case(random, Extent::small);
    for (const Algorithm& algorithm : algorithms()) {
      const Case point = adapted(drawn, algorithm.formula(), random);
      INFO("--algorithm " << algorithm.name << " " << describe(point));
      const MemoryUse memory = count(algorithm, point, unlimited).memory;
      const auto expected = on_chip_tiles(algorithm.name, point);
      REQUIRE(memory.peak.bytes() == footprint_of(expected).bytes());
      if (memory.peak.bytes().value() > 0) {
        REQUIRE(memory.tiles == expected);
      }
    }
  }
}

TEST_CASE("a numeric run counts what a ghost run counts") {
  std::mt19937_64 random(bill_seed + 2);
  for (int repetition = 0; repetition < testing::repetitions(150); ++repetition) {
    const Case drawn = random_case(random, Extent::tiny);
    for (const Algorithm& algorithm : algorithms()) {
      const Case point = adapted(drawn, algorithm.formula(), random);
      INFO("--algorithm " << algorithm.name << " " << describe(point));
      const NumericRun run = run_numeric(algorithm, point, unlimited, bill_seed);
      REQUIRE(difference(run.counted.work, closed_form(algorithm.name, point)) == "");
    }
  }
}

TEST_CASE("SMs get whole blocks, as evenly as turns allow") {
  const Case point = {
      .problem = {.heads = 5, .seq_q = 1000, .seq_k = 1000}, .tiling = {.block_q = 64, .block_k = 64}, .options = {}};
  const auto sms = count_per_sm(find_algorithm("flash2"), point, unlimited, 12);
  Count blocks = 0;
  for (const SmUse& sm : sms) {
    blocks += sm.blocks;
    CHECK((sm.blocks == 6 || sm.blocks == 7));
  }
  CHECK(blocks == 16 * 5);
}
