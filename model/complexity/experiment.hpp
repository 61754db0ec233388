// One figure of a theorem, measured on counted traffic: an exponent, or the extremes of a ratio.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/complexity/contender.hpp"
#include "model/complexity/grid.hpp"

namespace tilemeter::complexity {

/// A figure of a billed point, in elements or operations, with its formula: "T - 2Nd", where T is the total traffic.
struct Quantity {
  std::string_view text;
  double (*of)(const Scale&, const Billed&) = nullptr;
};

/// What an exponent is of; `share` is the share of tiles that are visited.
enum class Variable { seq, head_dim, capacity, share };
std::string_view name_of(Variable variable);  ///< N d M s

/// The figures that count as agreement, ends included.
struct Accepted {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
  bool holds(double value) const { return from <= value && value <= to; }
};
inline Accepted around(double value, double tolerance) { return {value - tolerance, value + tolerance}; }

struct ExpectedExponent {
  Variable variable;
  Accepted accepted{};
};

/// A fit of log(quantity) on the logarithms of some variables and a constant.
struct FitExperiment {
  Contender contender;
  Quantity quantity;
  std::string_view where;  ///< what kind of points: "aligned", "unaligned", "random", "below d^2"
  Grid (*grid)(std::uint64_t seed) = nullptr;
  std::vector<ExpectedExponent> exponents;
};

/// The smallest and the largest of a ratio over the points.
struct RatioExperiment {
  Contender contender;
  Quantity quantity;
  std::string_view where;
  Grid (*grid)(std::uint64_t seed) = nullptr;
  Accepted accepted{};
};

/// A measured figure.
struct Finding {
  Contender contender;
  std::string figure;    ///< "exponent of M", "smallest", "largest"
  std::string quantity;  ///< of what
  std::string where;
  std::string range;
  Count points = 0;
  double value = 0;
  std::optional<double> half_width95{};  ///< of an exponent; ceilings are taken for independent errors
  std::optional<double> residual_rms{};
  std::optional<double> residual_most{};
  Accepted accepted{};

  bool holds() const { return accepted.holds(value); }
};

/// One finding an exponent. Throws InputError where a quantity is not positive, or where the points do not determine an
/// exponent.
std::vector<Finding> measure(const FitExperiment& experiment, const Grid& grid, const Counting& counting);

/// The smallest and the largest ratio.
std::vector<Finding> measure(const RatioExperiment& experiment, const Grid& grid, const Counting& counting);

}  // namespace tilemeter::complexity
