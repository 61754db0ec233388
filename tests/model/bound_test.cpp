// Lower bounds: worked values, and the row-granular one against all schedules of tiny problems.
#include "model/bound.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Problem one_head(Count seq, Count head_dim, MaskKind mask = MaskKind::none) {
  Problem problem;
  problem.seq_q = problem.seq_k = seq;
  problem.head_dim = problem.head_dim_v = head_dim;
  problem.mask.kind = mask;
  return problem;
}

Count row_bound(const Problem& problem, Count capacity) {
  return row_granular_least(problem, Elements(capacity)).value().value();
}

/// The cheapest schedule of N query and N key rows with at most C rows on chip, in units of d elements, by Dijkstra's
/// algorithm over what is on chip and which pairs are done. A key row costs 2 to load. A query row costs 1 to load
/// before its first pair and 2 after (with its result so far); leaving with a result costs 1. A pair is done as soon as
/// both rows are on chip, which never costs anything.
class CheapestSchedule {
 public:
  CheapestSchedule(int rows, int on_chip)
      : rows_(rows), on_chip_(on_chip), cost_(std::size_t{1} << (2 * rows + rows * rows), unreached) {}

  int find() {
    reach(State{}, 0);
    for (std::size_t cost = 0; cost < queue_.size(); ++cost) {
      for (std::size_t i = 0; i < queue_[cost].size(); ++i) {
        const State state = queue_[cost][i];
        if (state.ended) return static_cast<int>(cost);
        if (cost_[index_of(state)] < cost) continue;
        advance(state, static_cast<int>(cost));
      }
    }
    return -1;
  }

 private:
  static constexpr std::uint8_t unreached = 255;

  struct State {
    unsigned resident = 0;  ///< bits of query rows, then of key rows
    unsigned done = 0;      ///< bit row * N + key
    bool ended = false;
  };

  std::size_t index_of(const State& state) const {
    return (static_cast<std::size_t>(state.done) << (2 * rows_)) | state.resident;
  }
  bool has_result(const State& state, int query) const {
    return (state.done >> (query * rows_) & ((1U << rows_) - 1)) != 0;
  }
  bool is_query(int row) const { return row < rows_; }
  int load_cost(const State& state, int row) const { return is_query(row) && !has_result(state, row) ? 1 : 2; }
  int leave_cost(const State& state, int row) const { return is_query(row) && has_result(state, row) ? 1 : 0; }

  void reach(const State& state, int cost) {
    if (!state.ended) {
      std::uint8_t& known = cost_[index_of(state)];
      if (known <= cost) return;
      known = static_cast<std::uint8_t>(cost);
    }
    if (queue_.size() <= static_cast<std::size_t>(cost)) queue_.resize(static_cast<std::size_t>(cost) + 1);
    queue_[static_cast<std::size_t>(cost)].push_back(state);
  }

  State with(State state, int row) const {
    state.resident |= 1U << row;
    for (int query = 0; query < rows_; ++query) {
      for (int key = 0; key < rows_; ++key) {
        const unsigned both = 1U << query | 1U << (rows_ + key);
        if ((state.resident & both) == both) state.done |= 1U << (query * rows_ + key);
      }
    }
    return state;
  }

  void advance(const State& state, int cost) {
    if (state.done == (1U << (rows_ * rows_)) - 1) {
      State ended = state;
      ended.ended = true;
      reach(ended, cost + std::popcount(state.resident & ((1U << rows_) - 1)));
      return;
    }
    for (int row = 0; row < 2 * rows_; ++row) {
      if ((state.resident >> row & 1U) == 0) load(state, row, cost);
    }
  }

  void load(const State& state, int row, int cost) {
    if (std::popcount(state.resident) < on_chip_) return reach(with(state, row), cost + load_cost(state, row));
    for (int out = 0; out < 2 * rows_; ++out) {
      if ((state.resident >> out & 1U) == 0) continue;
      State without = state;
      without.resident &= ~(1U << out);
      reach(with(without, row), cost + leave_cost(state, out) + load_cost(state, row));
    }
  }

  int rows_;
  int on_chip_;
  std::vector<std::uint8_t> cost_;
  std::vector<std::vector<State>> queue_;
};

}  // namespace

TEST_CASE("the row-granular bound, worked through") {
  CHECK(row_bound(one_head(4096, 64), 50000) == 128 * 43130);  // C = 390: ceil(4096^2 / 389) = 43130 loads
  CHECK(row_bound(one_head(4096, 64, MaskKind::causal), 50000) == 128 * 21570);
  CHECK(row_bound(one_head(1, 1), 4) == 2);
  CHECK_FALSE(row_granular_least(one_head(4096, 64), Elements(255)).has_value());
  Problem narrow = one_head(100, 64);
  narrow.head_dim_v = 16;
  CHECK(row_bound(narrow, 80 * 11) == 80 * 1000);
  Problem grouped = one_head(100, 4);
  grouped.batch = 3;
  grouped.heads = 4;
  grouped.kv_heads = 2;
  CHECK(row_bound(grouped, 8 * 6) == 8 * 24000);
}

TEST_CASE("no schedule of tiny problems beats the row-granular bound") {
  struct Instance {
    int rows;
    int on_chip;
    int least;
  };
  constexpr Instance instances[] = {{2, 2, 10}, {2, 3, 8}, {3, 2, 20}, {3, 3, 16}, {3, 4, 12}, {4, 2, 34}};
  for (const Instance& instance : instances) {
    INFO("N " << instance.rows << ", C " << instance.on_chip);
    const int cheapest = CheapestSchedule(instance.rows, instance.on_chip).find();
    CHECK(cheapest == instance.least);
    CHECK(row_bound(one_head(instance.rows, 1), 2 * instance.on_chip) <= cheapest);
  }
}

TEST_CASE("the matmul bounds, worked through") {
  const MatmulShape cube{.rows = 1000, .cols = 1000, .depth = 1000};
  CHECK(matmul_least(cube, Elements(100)).value() == 200'000'000 - 200);
  CHECK(deep_matmul_least(cube, Elements(100)).value().value() == 201'000'000);
  CHECK(matmul_least(cube, Elements(4'000'000)).value() == 3'000'000);
  CHECK_FALSE(deep_matmul_least(cube, Elements(250'001)).has_value());
  CHECK(deep_matmul_least(cube, Elements(250'000)).value().value() == 5'000'000);
  const MatmulShape shallow{.rows = 100, .cols = 100, .depth = 2};
  CHECK(matmul_least(shallow, Elements(16)).value() == 10'400);
}

TEST_CASE("rounding never lifts a matmul bound") {
  const MatmulShape large{.rows = 3'000'000'019, .cols = 1'000'003, .depth = 1'000'033};
  for (Count capacity = 1; capacity < 1'000'000; capacity = capacity * 3 + 1) {
    const long double exact = 2 * 3'000'000'019.0L * 1'000'003.0L * 1'000'033.0L / std::sqrt((long double)capacity);
    if (exact > 9e18L) {
      CHECK_THROWS_AS(matmul_least(large, Elements(capacity)), FigureOverflow);
    } else {
      CHECK(static_cast<long double>(matmul_least(large, Elements(capacity)).value()) <= exact);
    }
  }
}

TEST_CASE("the bound of the two score products is their sum, for each K/V head") {
  Problem problem = one_head(1000, 64);
  const Elements one = score_products_least(problem, Elements(400));
  const Elements scores = matmul_least({.rows = 1000, .cols = 1000, .depth = 64}, Elements(400));
  const Elements output = matmul_least({.rows = 1000, .cols = 64, .depth = 1000}, Elements(400));
  CHECK(one == scores + output);
  problem.batch = 3;
  CHECK(score_products_least(problem, Elements(400)) == one * 3);
  problem.seq_k = 0;
  CHECK(score_products_least(problem, Elements(400)).value() == 0);
}

TEST_CASE("orders of growth change over at M = d^2") {
  CHECK(order_of_growth::forward(4096, 64, 4096) == Approx(4096.0 * 4096));
  CHECK(order_of_growth::forward(4096, 64, 4 * 4096) == Approx(4096.0 * 4096 / 4));
  CHECK(order_of_growth::forward(4096, 64, 4096 / 4) == Approx(4096.0 * 4096 * 2));
  CHECK(order_of_growth::backward(4096, 64, 4 * 4096) == Approx((4096.0 * 4096 + 4096.0 * 64) / 4));
}
