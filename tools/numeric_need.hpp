// What a run with real numbers takes of the machine that computes it.
#pragma once

#include "tools/point.hpp"

namespace tilemeter {

/// The most memory that a numeric run may take, so that none drives a machine to its knees unasked.
inline constexpr Count most_numeric_bytes = Count{8} << 30;

/// Estimates of a numeric run: its memory, and its time on one core.
struct NumericNeed {
  double bytes = 0;
  double seconds = 0;
};

/// The need of a point that was billed. Inputs stand in memory in double precision and in the type that the algorithm
/// computes in, outputs in that and twice in double precision, what lies between once. Nothing for a refused point.
NumericNeed numeric_need(const PointResult& billed);

/// Throws InputError that names --mode numeric, the memory and the limit, for more than most_numeric_bytes.
void refuse_vast_numbers(const PointResult& billed);

/// Warns of a run of more than a minute.
void warn_of_long_numbers(double seconds);

}  // namespace tilemeter
