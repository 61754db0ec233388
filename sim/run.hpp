// Run an algorithm: count its traffic, run it with numbers, or spread it over the SMs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/on_chip.hpp"
#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

struct Algorithm;

/// Use of the memory on chip: the tiles of the fullest block, and the high-water mark over all blocks.
struct MemoryUse {
  std::vector<OnChipTile> tiles{};
  Footprint peak{};
};

struct Counted {
  Work work{};
  MemoryUse memory{};
};

/// How far a numeric run is from the double-precision reference.
struct NumericCheck {
  double max_abs_error = 0;
  double rel_frobenius = 0;
  double tolerance = 0;                       ///< on rel_frobenius, by the coarsest type in which anything is stored
  Count nan_rows = 0;                         ///< rows of O with a NaN
  double max_lse_error = 0;                   ///< zero when the algorithm writes no LSE
  std::optional<Count> predicted_nan_rows{};  ///< by closed form, when a mistake was made on purpose
  bool ok = false;  ///< the numbers are right; with a mistake, the damage is the predicted one
};

struct NumericRun {
  Counted counted{};
  NumericCheck check{};
};

/// Bytes in and out, blocks and high-water mark of one SM.
struct SmUse {
  Count blocks = 0;
  Traffic traffic{};
  Bytes peak{};
};

enum class Folding { folded, unfolded };  ///< like blocks and tiles once with their number, or one by one

/// Counts the traffic by running the algorithm on tiles that hold only their shape. Throws OverCapacity (an InputError)
/// when a block does not fit and the budget refuses it.
Counted count(const Algorithm& algorithm, const Case& point, const Budget& budget, Folding folding = Folding::folded);

/// Runs the algorithm with numbers drawn from `seed` and checks O (and LSE) against the reference.
NumericRun run_numeric(const Algorithm& algorithm, const Case& point, const Budget& budget, std::uint64_t seed);

/// The same count, with the blocks of each launch dealt to `sms` SMs in turn. The sum over SMs is the whole bill.
std::vector<SmUse> count_per_sm(const Algorithm& algorithm, const Case& point, const Budget& budget, Count sms);

}  // namespace tilemeter
