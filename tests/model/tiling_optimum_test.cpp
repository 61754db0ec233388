// The optimum against all tilings, for every algorithm with tiles.
#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "model/tiling_optimum.hpp"
#include "model/traffic_front.hpp"
#include "tests/model/tiling_support.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  Count upto(Count limit) { return std::uniform_int_distribution<Count>(1, limit)(engine_); }
  bool once_in(Count times) { return upto(times) == 1; }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

Mask random_mask(Random& random, Count longest) {
  switch (random.upto(4)) {
    case 1:
      return {};
    case 2:
      return {.kind = MaskKind::causal};
    case 3:
      return {.kind = MaskKind::causal_top_left};
    default:
      return {
          .kind = MaskKind::window, .left = random.upto(longest) - 1, .right = random.upto(12) - 1, .pairs = nullptr};
  }
}

/// Random small problems with every mask, and every option that changes what streaming loops move.
Case random_case(Random& random, Count longest) {
  Case point;
  Problem& problem = point.problem;
  problem.seq_q = random.upto(longest);
  problem.seq_k = random.upto(longest);
  problem.head_dim = random.upto(9);
  problem.head_dim_v = random.upto(9);
  problem.kv_heads = random.upto(2);
  problem.heads = problem.kv_heads * random.upto(3);
  if (random.once_in(2)) problem.packing = Packing::packed;
  problem.mask = random_mask(random, longest);
  if (random.once_in(5)) problem.dtype = DType::fp8;
  Options& options = point.options;
  if (random.once_in(3)) options.row_splits = random.upto(4);
  if (random.once_in(3)) options.first_visit = FirstVisit::elides_read;
  if (random.once_in(2)) options.splits = random.upto(5);
  options.split_slots = random.upto(12);
  point.tiling.stages = random.upto(2);
  return point;
}

Count traffic_of(std::string_view algorithm, const Case& point, const Budget& budget) {
  const Traffic total = closed_form(algorithm, point).total();
  return budget.elements ? total.total().value() : total.total_bytes().value();
}

bool streams(const Formula& formula) {
  return has_sequences(formula.computation) &&
         (formula.order == LoopOrder::kv_outer || formula.order == LoopOrder::q_outer);
}

/// Traffic, then minus the streamed size, then minus the companion: what the optimum minimises.
using Key = std::tuple<Count, Count, Count>;

Key key_of(const Formula& formula, const Tiling& tiling, Count traffic) {
  return formula.order == LoopOrder::kv_outer ? Key(traffic, -tiling.block_k, -tiling.block_q)
                                              : Key(traffic, -tiling.block_q, -tiling.block_k);
}

/// Every feasible tiling, sorted.
std::vector<Key> all_tilings(const Formula& formula, const Case& point, const Budget& budget, Count step) {
  std::vector<Key> keys;
  for (Count block_q = step; block_q < point.problem.rows() + step; block_q += step) {
    for (Count block_k = step; block_k < std::max(Count{1}, point.problem.seq_k) + step; block_k += step) {
      const Case candidate = tiled(point, block_q, block_k);
      if (overflow_of(formula.name, candidate, budget) > 0) break;
      keys.push_back(key_of(formula, candidate.tiling, traffic_of(formula.name, candidate, budget)));
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// The amounts of traffic that occur, and those that are the least of some streamed size; ascending.
struct Amounts {
  std::set<Count> all;
  std::set<Count> of_sizes;
};

Amounts amounts_of(const std::vector<Key>& keys) {
  Amounts amounts;
  std::set<Count> sizes;
  for (const auto& [traffic, size, companion] : keys) {
    amounts.all.insert(traffic);
    if (sizes.insert(size).second) amounts.of_sizes.insert(traffic);
  }
  return amounts;
}

struct Trial {
  Case point;
  Budget budget;
  Count step = 1;
};

Trial random_trial(Random& random, const Formula& formula) {
  const bool tiles_are_small = random.once_in(3);  // then the bound on the search matters
  Trial trial;
  trial.point = adapted(random_case(random, tiles_are_small ? 150 : 40), formula, random.engine());
  trial.step = random.once_in(4) ? 4 : 1;
  trial.budget = random.once_in(3) ? element_budget(random.upto(tiles_are_small ? 400 : 2500))
                                   : byte_budget(random.upto(tiles_are_small ? 1000 : 5000));
  return trial;
}

}  // namespace

TEST_CASE("the optimum, and the next best, equal those of all feasible pairs, for every streaming algorithm") {
  Random random(7);
  for (const Formula& formula : formulas()) {
    if (!streams(formula)) continue;
    int found = 0;
    for (int i = 0; i < testing::repetitions(50); ++i) {
      const auto [point, budget, step] = random_trial(random, formula);
      const std::vector<Key> keys = all_tilings(formula, point, budget, step);
      CAPTURE(i, formula.name, step, budget.owner, describe(point));
      if (keys.empty()) {
        CHECK_THROWS_AS(resolve_tiling(formula.name, point, BlockRule::optimum, budget, {step}), InputError);
        continue;
      }
      ++found;
      const Tiling best = resolve_tiling(formula.name, point, BlockRule::optimum, budget, {step});
      CHECK(key_of(formula, best, traffic_of(formula.name, tiled(point, best.block_q, best.block_k), budget)) ==
            keys.front());
      const RankedTilings ranked = best_tilings(formula.name, point, budget, {step}, 4);
      CHECK(ranked.exhaustive);
      const auto [all, of_sizes] = amounts_of(keys);
      REQUIRE(ranked.best.size() >= std::min(std::size_t{4}, of_sizes.size()));
      auto least = all.begin();
      auto most = of_sizes.begin();
      for (const RankedTiling& one : ranked.best) {
        CHECK(one.traffic >= *least++);
        if (most != of_sizes.end()) CHECK(one.traffic <= *most++);
        CHECK(traffic_of(formula.name, tiled(point, one.tiling.block_q, one.tiling.block_k), budget) == one.traffic);
      }
    }
    CHECK(found > testing::repetitions(15));
  }
}

TEST_CASE("no tiling at or below a point of the traffic front moves less") {
  Random random(23);
  for (const Formula& formula : formulas()) {
    if (!streams(formula)) continue;
    for (int i = 0; i < 6; ++i) {
      const auto [point, limited, step] = random_trial(random, formula);
      const Budget budget = limited.elements ? element_budget(1'000'000) : byte_budget(1'000'000);
      const TrafficFront front = traffic_front(formula.name, point, budget, {step});
      CAPTURE(i, formula.name, step, budget.owner, describe(point));
      REQUIRE(!front.tilings.empty());
      for (const TilingCosts& one : front.tilings) {
        const Case there = tiled(point, one.tiling.block_q, one.tiling.block_k);
        CHECK(on_chip_use(formula.name, there, budget) == one.on_chip);
        CHECK(traffic_of(formula.name, there, budget) == one.traffic);
        if (!front.complete || &one != &front.tilings[static_cast<std::size_t>(i) % front.tilings.size()]) continue;
        const Budget within = budget.elements ? element_budget(one.on_chip) : byte_budget(one.on_chip);
        CHECK(best_tilings(formula.name, point, within, {step}, 1).best.front().traffic == one.traffic);
      }
      const std::vector<Key> keys = all_tilings(formula, point, budget, step);
      if (front.complete) CHECK(front.tilings.back().traffic == std::get<0>(keys.front()));
    }
  }
}

TEST_CASE("a search that may bill only so many tilings says that it was not exhaustive") {
  Case point = square_case(300, 1);
  point.options.row_splits = 4;
  point.problem.mask.kind = MaskKind::causal;
  const Budget budget = element_budget(4000);
  const TileSearch search("flash1", point, budget, any_size);
  const auto found = [&](Count most) {
    return least_traffic_tilings(search, LoopOrder::kv_outer, point, {.keep = 1, .most_tried = most});
  };
  const RankedTilings all = found(1 << 20);
  CHECK(all.exhaustive);
  CHECK(found(all.tried + 1).exhaustive);
  const RankedTilings few = found(5);
  CHECK(!few.exhaustive);
  CHECK(few.tried == 5);
  CHECK(few.best.front().traffic >= all.best.front().traffic);
}

TEST_CASE("the optimum of GEMM tiles equals the best of all block_q x block_k x block_d") {
  Random random(11);
  const auto upto = [&](Count limit) { return random.upto(limit); };
  int found = 0;
  for (int trial = 0; trial < testing::repetitions(60); ++trial) {
    Case point = adapted(random_case(random, 40), formula_of("standard_tiled"));
    point.problem.mask = {};
    const Count step = trial % 4 == 0 ? 2 : 1;
    const Budget budget = trial % 3 == 0 ? element_budget(upto(600)) : byte_budget(upto(2000));
    point.options.row_softmax = resolve_row_softmax("standard_tiled", point, budget);
    std::optional<Count> best;
    for (Count block_d = step; block_d < 9 + step; block_d += step) {
      for (Count block_q = step; block_q < point.problem.rows() + step; block_q += step) {
        for (Count block_k = step; block_k < point.problem.seq_k + step; block_k += step) {
          Case candidate = tiled(point, block_q, block_k);
          candidate.tiling.block_d = block_d;
          if (overflow_of("standard_tiled", candidate, budget) > 0) continue;
          const Count traffic = traffic_of("standard_tiled", candidate, budget);
          if (!best || traffic < *best) best = traffic;
        }
      }
    }
    CAPTURE(trial, step, budget.owner);
    if (!best) {
      CHECK_THROWS_AS(resolve_tiling("standard_tiled", point, BlockRule::optimum, budget, {step}), InputError);
      continue;
    }
    ++found;
    point.tiling = resolve_tiling("standard_tiled", point, BlockRule::optimum, budget, {step});
    CHECK(overflow_of("standard_tiled", point, budget) == 0);
    CHECK(traffic_of("standard_tiled", point, budget) == *best);
  }
  CHECK(found > testing::repetitions(30));
}
