// The algorithms that can be run, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/problem.hpp"

namespace tilemeter {

struct Ghost;
template <class Scalar>
struct Real;
template <class P>
class Gpu;

/// How an algorithm walks the score matrix; decides which tile rules apply.
enum class LoopOrder { untiled, kv_outer, q_outer, gemm };

/// One algorithm: its description and its program for each kind of payload.
struct Algorithm {
  std::string_view name;
  std::string_view idea;    ///< one sentence
  std::string_view source;  ///< where it was published
  LoopOrder order = LoopOrder::untiled;
  std::string_view options;  ///< command-line options of its own, space separated

  void (*count)(Gpu<Ghost>&, const Case&) = nullptr;
  void (*run_float)(Gpu<Real<float>>&, const Case&) = nullptr;
  void (*run_double)(Gpu<Real<double>>&, const Case&) = nullptr;
};

std::span<const Algorithm> algorithms();

/// Throws InputError that lists the names.
const Algorithm& find_algorithm(std::string_view name);

}  // namespace tilemeter
