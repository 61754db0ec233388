#include "model/pareto.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

template <std::size_t n>
struct Item {
  std::array<int, n> costs{};
  std::size_t index = 0;
};

template <std::size_t n>
bool betters(const Item<n>& a, const Item<n>& b) {
  bool less = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (a.costs[i] > b.costs[i]) return false;
    less = less || a.costs[i] < b.costs[i];
  }
  return less || a.index < b.index;  // the first among equals
}

template <std::size_t n>
void compare_with_every_pair(std::mt19937& random, int values) {
  const auto upto = [&](int limit) { return std::uniform_int_distribution<int>(0, limit)(random); };
  std::vector<Item<n>> items(static_cast<std::size_t>(upto(40)));
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].index = i;
    for (int& cost : items[i].costs) cost = upto(values);
  }
  const auto front = pareto_front(items, [](const Item<n>& item) { return item.costs; });
  std::vector<bool> kept(items.size(), false);
  for (std::size_t i = 0; i < front.size(); ++i) {
    kept[front[i].index] = true;
    CHECK((i == 0 || front[i - 1].costs < front[i].costs));
  }
  for (const Item<n>& item : items) {
    bool beaten = false;
    for (const Item<n>& other : items) beaten = beaten || (other.index != item.index && betters(other, item));
    CHECK(kept[item.index] == !beaten);
  }
}

}  // namespace

TEST_CASE("the Pareto front is what no other item betters") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 400; ++trial) {
    compare_with_every_pair<2>(random, trial % 30 + 1);
    compare_with_every_pair<3>(random, trial % 12 + 1);
    compare_with_every_pair<4>(random, trial % 6 + 1);
  }
}

TEST_CASE("the front of nothing is nothing, and of two costs is a staircase") {
  using Pair = std::array<int, 2>;
  const auto same = [](const Pair& pair) { return pair; };
  CHECK(pareto_front(std::vector<Pair>{}, same).empty());
  CHECK(pareto_front(std::vector<Pair>{{3, 1}, {1, 3}, {2, 2}, {2, 3}, {3, 1}, {4, 0}}, same) ==
        std::vector<Pair>{{1, 3}, {2, 2}, {3, 1}, {4, 0}});
}
