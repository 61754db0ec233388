// The smallest M at which one contender moves no more than another.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/complexity/contender.hpp"

namespace tilemeter::complexity {

/// Traffic in elements at M; never rises with M.
using TrafficAt = std::function<Count(Count capacity)>;

/// The smallest M in [from, to] with challenger(M) <= opponent(M); nothing when there is none. Exact although the
/// difference of two falling functions may change sign often: a range is skipped only when the challenger at its upper
/// end moves more than the opponent at its lower end.
std::optional<Count> first_not_above(Count from, Count to, const TrafficAt& challenger, const TrafficAt& opponent);

/// The smallest M at which every rule gives tiles that move something: 4d + 3, a single row and key with their scores.
Count smallest_capacity(Count head_dim);
/// From this M on everything is on chip under every rule.
Count largest_capacity(Count seq, Count head_dim);

struct BreakEvenPair {
  Contender challenger;
  Contender opponent;
};

/// Streaming attention against standard attention: idealised, and charged for the same M.
std::span<const BreakEvenPair> break_even_pairs();

/// A break-even at one N and d. Without `capacity` there is none.
struct BreakEven {
  BreakEvenPair pair;
  Count seq = 0;
  Count head_dim = 0;
  std::optional<Count> capacity{};
  Tiling tiling{};    ///< of the challenger, at the break-even
  Elements needed{};  ///< what it holds on chip, which may pass M under the paper's rule
  Elements moved{};   ///< by the challenger
  Elements opponent_moved{};
};
BreakEven break_even(const BreakEvenPair& pair, Count seq, Count head_dim, const Counting& counting);

}  // namespace tilemeter::complexity
