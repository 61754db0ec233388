// Numbers with units as Nsight Compute prints them: "1,234", "913.82" of "us", "2.28" of "Gbyte".
#pragma once

#include <string>
#include <string_view>

#include "model/units.hpp"

namespace tilemeter::ncu {

/// What a metric measures; it says which units are accepted.
enum class Quantity { bytes, seconds, cycles, instructions, percent, hertz, plain };

/// A number as printed and its unit.
struct Printed {
  std::string_view value;
  std::string_view unit;
};

/// A whole number of the base unit: bytes, picoseconds, cycles, instructions.
struct Whole {
  Count value = 0;
  Count step = 1;  ///< what the last printed digit stands for: 10'000'000 for "2.28" Gbyte
};

// Both throw InputError that starts with `what`: no number, or a unit that the quantity does not have (the message
// lists those it has). Digits in groups of three by commas, a point before the fraction, whatever the locale. Kbyte,
// Mbyte ... are powers of 1000; a sector is 32 bytes.

/// Refuses numbers that are no multiple of the base unit, too. Throws FigureOverflow past 2^63 - 1.
Whole whole_of(const Printed& printed, Quantity quantity, const std::string& what);
/// In percent or hertz; "nan" and "inf" are numbers here.
double real_of(const Printed& printed, Quantity quantity, const std::string& what);

}  // namespace tilemeter::ncu
