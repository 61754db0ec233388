// The Pareto front: the items that no other item betters in every cost.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tilemeter {
namespace pareto {

/// At most as costly in every cost.
template <class Value, std::size_t n>
bool covers(const std::array<Value, n>& a, const std::array<Value, n>& b) {
  for (std::size_t i = 0; i < n; ++i) {
    if (b[i] < a[i]) return false;
  }
  return true;
}

/// Whether an item that comes last in lexicographic order is covered by one of the front before it. With two costs the
/// last of the front has the least second cost.
template <class Value, std::size_t n>
bool covered(const std::vector<std::array<Value, n>>& front, const std::array<Value, n>& item) {
  if constexpr (n == 2) return !front.empty() && covers(front.back(), item);
  return std::any_of(front.begin(), front.end(), [&](const auto& other) { return covers(other, item); });
}

}  // namespace pareto

/// The items that no other item covers: at most as costly in every cost and less in one. Of items with equal costs the
/// first stays. In the order of their costs, the first cost first. `costs_of(item)` is an array of two or more ordered
/// values. O(n log n) for two costs, O(n log n + n f) with a front of f items for more.
template <class Item, class CostsOf>
std::vector<Item> pareto_front(const std::vector<Item>& items, CostsOf costs_of) {
  using Costs = decltype(costs_of(items.front()));
  static_assert(std::tuple_size_v<Costs> >= 2);
  std::vector<Costs> costs;
  for (const Item& item : items) costs.push_back(costs_of(item));
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<Costs> front_costs;
  std::vector<Item> front;
  for (const std::size_t index : order) {
    if (pareto::covered(front_costs, costs[index])) continue;
    front_costs.push_back(costs[index]);
    front.push_back(items[index]);
  }
  return front;
}

}  // namespace tilemeter
