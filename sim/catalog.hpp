// The algorithms that can be run, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/problem.hpp"
#include "sim/machine.hpp"

namespace tilemeter {

/// How an algorithm walks the score matrix; decides which tile rules apply.
enum class LoopOrder { untiled, kv_outer, q_outer, gemm };

/// One algorithm: its description and its program for each kind of payload.
struct Algorithm {
  std::string_view name;
  std::string_view idea;    ///< one sentence
  std::string_view source;  ///< where it was published
  LoopOrder order = LoopOrder::untiled;
  std::string_view options;  ///< command-line options of its own, space separated

  void (*count)(Machine<Ghost>&, const Case&) = nullptr;
  void (*run_float)(Machine<Real<float>>&, const Case&) = nullptr;
  void (*run_double)(Machine<Real<double>>&, const Case&) = nullptr;
};

std::span<const Algorithm> algorithms();

/// Throws InputError that lists the names.
const Algorithm& find_algorithm(std::string_view name);

}  // namespace tilemeter
