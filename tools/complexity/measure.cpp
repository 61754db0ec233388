#include "tools/complexity/measure.hpp"

#include <algorithm>
#include <set>

#include "model/complexity/quantities.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"

namespace tilemeter::complexity {
namespace {

Work counted(std::string_view algorithm, const Case& point) {
  return count(find_algorithm(algorithm), point, Budget{}).work;
}

template <class Value>
bool has(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<Contender> contenders(const Inquiry& inquiry) {
  std::vector<Contender> wanted;
  for (const std::string_view algorithm : inquiry.algorithms) {
    for (const Contender& contender : contenders_of(algorithm)) {
      const bool any_rule = inquiry.rules.empty() || contender.tiles == TileChoice::untiled;
      if (any_rule || has(inquiry.rules, contender.tiles)) wanted.push_back(contender);
    }
  }
  return wanted;
}

std::vector<Scale> points_of(const OwnGrid& grid) {
  std::vector<Scale> points;
  for (const Count seq : grid.lengths) {
    for (const Count head_dim : grid.head_dims) {
      for (const Count capacity : grid.capacities) {
        points.push_back({.seq = seq, .head_dim = head_dim, .capacity = capacity});
      }
    }
  }
  return points;
}

/// The exponents of what varies over the grid.
std::vector<ExpectedExponent> varying(const OwnGrid& grid) {
  const auto varies = [](const std::vector<Count>& values) {
    return std::set(values.begin(), values.end()).size() > 1;
  };
  std::vector<ExpectedExponent> exponents;
  if (varies(grid.lengths)) exponents.push_back({Variable::seq});
  if (varies(grid.head_dims)) exponents.push_back({Variable::head_dim});
  if (varies(grid.capacities)) exponents.push_back({Variable::capacity});
  return exponents;
}

/// T, and T without its part that does not depend on M where that is known.
std::vector<Quantity> quantities_of(std::string_view algorithm) {
  std::vector<Quantity> quantities = {total_traffic()};
  const Quantity streamed = streamed_traffic(algorithm);
  if (streamed.text != quantities.front().text) quantities.push_back(streamed);
  return quantities;
}

std::vector<Finding> own_fits(const Inquiry& inquiry) {
  std::vector<Finding> findings;
  const std::vector<ExpectedExponent> exponents = varying(inquiry.grid);
  if (exponents.empty()) return findings;
  const Grid grid = grid_of(points_of(inquiry.grid));
  for (const Contender& contender : contenders(inquiry)) {
    for (const Quantity& quantity : quantities_of(contender.algorithm)) {
      const FitExperiment experiment{
          .contender = contender, .quantity = quantity, .where = "as asked", .exponents = exponents};
      const std::vector<Finding> found = measure(experiment, grid, counted);
      findings.insert(findings.end(), found.begin(), found.end());
    }
  }
  return findings;
}

std::vector<BreakEven> break_evens(const Inquiry& inquiry) {
  std::vector<BreakEven> found;
  for (const Count seq : inquiry.grid.lengths) {
    for (const Count head_dim : inquiry.grid.head_dims) {
      for (const BreakEvenPair& pair : break_even_pairs()) {
        if (!has(inquiry.algorithms, pair.challenger.algorithm)) continue;
        if (!inquiry.rules.empty() && !has(inquiry.rules, pair.challenger.tiles)) continue;
        found.push_back(break_even(pair, seq, head_dim, counted));
      }
    }
  }
  return found;
}

}  // namespace

bool Answer::holds() const {
  return std::all_of(theorems.begin(), theorems.end(), [](const Measured& theorem) { return theorem.holds(); }) &&
         std::all_of(distances.begin(), distances.end(), [](const Distance& distance) { return distance.holds(); }) &&
         std::all_of(crossovers.begin(), crossovers.end(), [](const Crossover& one) { return one.holds(); });
}

Answer measure(const Inquiry& inquiry) {
  Answer answer;
  const auto wanted = [&](std::string_view algorithm) { return has(inquiry.algorithms, algorithm); };
  for (const Theorem* theorem : inquiry.theorems) {
    answer.theorems.push_back(measure(*theorem, counted, inquiry.seed, wanted));
  }
  if (inquiry.fits) answer.fits = own_fits(inquiry);
  for (const Scale& scale : points_of(inquiry.grid)) {
    for (const Contender& contender : contenders(inquiry)) {
      answer.distances.push_back(distance_of(contender, scale, counted));
    }
  }
  answer.break_evens = break_evens(inquiry);
  if (has(inquiry.theorems, &find_theorem("saha-ye"))) answer.crossovers = crossovers(counted, wanted);
  return answer;
}

}  // namespace tilemeter::complexity
