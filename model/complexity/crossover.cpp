#include "model/complexity/crossover.hpp"

#include <array>

namespace tilemeter::complexity {
namespace {

constexpr Contender materialised = {"materialised", TileChoice::paper};
constexpr Count seq = 8192;

struct ExpectedCrossover {
  Contender challenger;
  Accepted accepted;  ///< from half a unit of the last known digit below to half a unit above
};

constexpr std::array expected = {
    ExpectedCrossover{{"flash2", TileChoice::optimum}, {0.495, 0.595}},
    ExpectedCrossover{{"flash1", TileChoice::optimum}, {0.845, 0.965}},
    ExpectedCrossover{{"flash1", TileChoice::paper}, {2.35, 2.55}},
};

}  // namespace

std::optional<double> Crossover::ratio() const {
  if (!found.capacity) return std::nullopt;
  const auto d = static_cast<double>(found.head_dim);
  return static_cast<double>(*found.capacity) / (d * d);
}

std::vector<Crossover> crossovers(const Counting& counting,
                                  const std::function<bool(std::string_view algorithm)>& wanted) {
  std::vector<Crossover> all;
  for (const auto& [challenger, accepted] : expected) {
    if (!wanted(challenger.algorithm)) continue;
    for (const Count head_dim : {32, 64, 128, 256}) {
      all.push_back({break_even({challenger, materialised}, seq, head_dim, counting), accepted});
    }
  }
  return all;
}

}  // namespace tilemeter::complexity
