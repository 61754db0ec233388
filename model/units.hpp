// Amounts as types: integers that never wrap, and rates and times in SI units.
#pragma once

#include <compare>
#include <cstdint>

#include "model/error.hpp"

namespace tilemeter {

/// A count of things (tiles, rows, pairs): signed, 64 bits.
using Count = std::int64_t;

namespace checked {

inline Count add(Count a, Count b) {
  Count sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw UnnamedOverflow();
  return sum;
}

inline Count subtract(Count a, Count b) {
  Count difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) throw UnnamedOverflow();
  return difference;
}

inline Count multiply(Count a, Count b) {
  Count product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw UnnamedOverflow();
  return product;
}

}  // namespace checked

/// An exact integer amount of one unit. Sums and multiples throw UnnamedOverflow instead of wrapping.
template <class Unit>
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(Count value) : value_(value) {}
  constexpr Count value() const { return value_; }

  friend Amount operator+(Amount a, Amount b) { return Amount(checked::add(a.value_, b.value_)); }
  friend Amount operator-(Amount a, Amount b) { return Amount(checked::subtract(a.value_, b.value_)); }
  friend Amount operator*(Amount a, Count times) { return Amount(checked::multiply(a.value_, times)); }
  friend Amount operator*(Count times, Amount a) { return a * times; }
  Amount& operator+=(Amount other) { return *this = *this + other; }
  friend constexpr auto operator<=>(Amount, Amount) = default;

 private:
  Count value_ = 0;
};

using Elements = Amount<struct ElementsUnit>;  ///< numbers of a tensor, whatever their type
using Bytes = Amount<struct BytesUnit>;        ///< whole bytes
using Flops = Amount<struct FlopsUnit>;        ///< multiply and add count as two

/// A physical quantity in its SI unit.
template <class Unit>
struct Measure {
  double value = 0;
  friend constexpr auto operator<=>(Measure, Measure) = default;
};

using Seconds = Measure<struct SecondsUnit>;                ///< s
using Hertz = Measure<struct HertzUnit>;                    ///< 1/s
using Watts = Measure<struct WattsUnit>;                    ///< W
using BytesPerSecond = Measure<struct BytesPerSecondUnit>;  ///< B/s, not GiB/s
using OpsPerSecond = Measure<struct OpsPerSecondUnit>;      ///< FLOP/s for matrix and FMA units, operations/s for exp

/// The time that `amount` takes at `rate`.
inline Seconds operator/(Bytes amount, BytesPerSecond rate) {
  return {static_cast<double>(amount.value()) / rate.value};
}
inline Seconds operator/(Flops amount, OpsPerSecond rate) { return {static_cast<double>(amount.value()) / rate.value}; }

/// Ceiling of a / b for a >= 0, b > 0.
constexpr Count ceil_div(Count a, Count b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace tilemeter
