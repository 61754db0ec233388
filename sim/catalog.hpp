// The algorithms that can be run, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

struct Ghost;
template <class Scalar>
struct Real;
template <class P>
class Gpu;

/// One algorithm: its description and its program for each kind of payload. What the model knows of it (the
/// computation, the loop order, the variants, the bill) is the formula of the same name.
struct Algorithm {
  std::string_view name;
  std::string_view idea;     ///< one sentence
  std::string_view source;   ///< where it was published
  std::string_view options;  ///< command-line options of its own, space separated

  void (*count)(Gpu<Ghost>&, const Case&) = nullptr;
  void (*run_float)(Gpu<Real<float>>&, const Case&) = nullptr;
  void (*run_double)(Gpu<Real<double>>&, const Case&) = nullptr;

  const Formula& formula() const;
  LoopOrder order() const { return formula().order; }
  Computation computation() const { return formula().computation; }
};

std::span<const Algorithm> algorithms();  ///< in the order in which they are listed

/// Throws InputError that begins with `asked_by` and lists the names.
const Algorithm& find_algorithm(std::string_view name, std::string_view asked_by = "--algorithm");

}  // namespace tilemeter
