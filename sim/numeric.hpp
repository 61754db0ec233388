// Runs with numbers: inputs, outputs, and the reference that they are checked against.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/numerics.hpp"
#include "sim/run.hpp"

namespace tilemeter {

using Matrix = numerics::Numbers<double>;

/// The operands of a problem: one Q per stream (packed rows interleave the heads of a group), one K and V per K/V head.
struct Inputs {
  std::vector<Matrix> q{};
  std::vector<Matrix> k{};
  std::vector<Matrix> v{};
};

/// Standard normal numbers from `seed`, rounded to the operand type.
Inputs random_inputs(const Problem& problem, std::uint64_t seed);

/// What an algorithm left in device memory, per stream. `lse` is empty where the algorithm keeps no statistics.
struct Outputs {
  std::vector<Matrix> o{};
  std::vector<Matrix> lse{};
};

enum class Dropout { none, fixed };

/// Attention in double precision, 64 rows at a time, with masked rows as zeros and `empty_lse` as their LSE.
Outputs reference(const Problem& problem, const Inputs& inputs, Dropout dropout, double empty_lse);

/// Largest and relative Frobenius error of `outputs` against `expected`. A NaN on either side never counts as
/// agreement.
NumericCheck compare(const Problem& problem, const Outputs& outputs, const Outputs& expected);

struct NumericOutputs {
  Counted counted{};
  Outputs outputs{};
};

/// Runs `algorithm` on `inputs`. Throws InputError for operand types that it cannot compute in.
NumericOutputs run_on(const Algorithm& algorithm, const Case& point, const Budget& budget, const Inputs& inputs);

}  // namespace tilemeter
