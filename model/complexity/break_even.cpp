#include "model/complexity/break_even.hpp"

#include <array>

namespace tilemeter::complexity {
namespace {

constexpr Contender idealised = {"standard", TileChoice::untiled};
constexpr Contender at_same_m = {"standard", TileChoice::panels};

constexpr std::array pairs = {
    BreakEvenPair{{"flash1", TileChoice::paper}, idealised},
    BreakEvenPair{{"flash1", TileChoice::fit}, idealised},
    BreakEvenPair{{"flash1", TileChoice::optimum}, idealised},
    BreakEvenPair{{"flash2", TileChoice::fit}, idealised},
    BreakEvenPair{{"flash2", TileChoice::optimum}, idealised},
    BreakEvenPair{{"flash1", TileChoice::paper}, at_same_m},
    BreakEvenPair{{"flash1", TileChoice::fit}, at_same_m},
    BreakEvenPair{{"flash1", TileChoice::optimum}, at_same_m},
    BreakEvenPair{{"flash2", TileChoice::fit}, at_same_m},
    BreakEvenPair{{"flash2", TileChoice::optimum}, at_same_m},
};

/// Traffic of `contender` over M.
TrafficAt traffic_of(const Contender& contender, Count seq, Count head_dim, const Counting& counting) {
  return [=, &counting](Count capacity) {
    const Scale scale{.seq = seq, .head_dim = head_dim, .capacity = capacity};
    return bill_of(contender, scale, counting).total.value();
  };
}

}  // namespace

std::optional<Count> first_not_above(Count from, Count to, const TrafficAt& challenger, const TrafficAt& opponent) {
  if (from > to || challenger(to) > opponent(from)) return std::nullopt;
  if (from == to) return from;
  const Count middle = from + (to - from) / 2;
  if (const auto first = first_not_above(from, middle, challenger, opponent)) return first;
  return first_not_above(middle + 1, to, challenger, opponent);
}

Count smallest_capacity(Count head_dim) { return 4 * head_dim + 3; }

Count largest_capacity(Count seq, Count head_dim) {
  return named("the M at which everything is on chip", [&] {
    const Count rows = checked::add(seq, head_dim);
    return checked::add(checked::multiply(checked::multiply(rows, 4), head_dim + 1), checked::multiply(seq, seq));
  });
}

std::span<const BreakEvenPair> break_even_pairs() { return pairs; }

BreakEven break_even(const BreakEvenPair& pair, Count seq, Count head_dim, const Counting& counting) {
  BreakEven found{.pair = pair, .seq = seq, .head_dim = head_dim};
  found.capacity = first_not_above(smallest_capacity(head_dim), largest_capacity(seq, head_dim),
                                   traffic_of(pair.challenger, seq, head_dim, counting),
                                   traffic_of(pair.opponent, seq, head_dim, counting));
  if (!found.capacity) return found;
  const Scale scale{.seq = seq, .head_dim = head_dim, .capacity = *found.capacity};
  const Billed billed = bill_of(pair.challenger, scale, counting);
  found.tiling = billed.point.tiling;
  found.needed = on_chip(pair.challenger, billed.point);
  found.moved = billed.total;
  found.opponent_moved = bill_of(pair.opponent, scale, counting).total;
  return found;
}

}  // namespace tilemeter::complexity
