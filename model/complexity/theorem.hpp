// What the literature says about the traffic of attention, and what the counts say to it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/complexity/experiment.hpp"

namespace tilemeter::complexity {

/// A theorem with the experiments that measure it.
struct Theorem {
  std::string_view name;  ///< as --theorem takes it
  std::string_view title;
  std::string_view source;
  std::string_view statement;
  std::string_view validity;    ///< where it holds, as published and as it turns out
  std::string_view edges;       ///< what happens where it stops
  std::string_view conclusion;  ///< the verdict when every figure is as expected
  std::vector<FitExperiment> fits{};
  std::vector<RatioExperiment> ratios{};
};

/// All theorems, in the order of the program's output.
std::span<const Theorem> theorems();

/// Throws InputError that lists the names.
const Theorem& find_theorem(std::string_view name);

/// The figures of one theorem.
struct Measured {
  const Theorem* theorem = nullptr;
  std::vector<Finding> findings;

  bool holds() const;
  std::string verdict() const;
};

/// Runs the experiments of `theorem` on the algorithms that `wanted` accepts. `seed` draws the random points.
Measured measure(const Theorem& theorem, const Counting& counting, std::uint64_t seed,
                 const std::function<bool(std::string_view algorithm)>& wanted);

}  // namespace tilemeter::complexity
