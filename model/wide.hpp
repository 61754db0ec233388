// 128-bit intermediate results of closed forms: wide enough for every bill of 64-bit sizes, and checked beyond.
#pragma once

#include <compare>
#include <limits>

#include "model/units.hpp"

namespace tilemeter {

/// A checked 128-bit integer. Arithmetic throws UnnamedOverflow; `narrow` returns a 64-bit count or throws likewise.
class Wide {
 public:
  __extension__ using Raw = __int128;

  constexpr Wide() = default;
  constexpr Wide(Count value) : raw_(value) {}  // NOLINT: counts convert freely
  static constexpr Wide from_raw(Raw raw) {
    Wide wide;
    wide.raw_ = raw;
    return wide;
  }

  constexpr Raw raw() const { return raw_; }
  Count narrow() const {
    if (raw_ > std::numeric_limits<Count>::max() || raw_ < std::numeric_limits<Count>::min()) throw UnnamedOverflow();
    return static_cast<Count>(raw_);
  }

  friend Wide operator+(Wide a, Wide b) {
    Raw sum = 0;
    if (__builtin_add_overflow(a.raw_, b.raw_, &sum)) throw UnnamedOverflow();
    return from_raw(sum);
  }
  friend Wide operator-(Wide a, Wide b) {
    Raw difference = 0;
    if (__builtin_sub_overflow(a.raw_, b.raw_, &difference)) throw UnnamedOverflow();
    return from_raw(difference);
  }
  friend Wide operator*(Wide a, Wide b) {
    Raw product = 0;
    if (__builtin_mul_overflow(a.raw_, b.raw_, &product)) throw UnnamedOverflow();
    return from_raw(product);
  }
  Wide& operator+=(Wide other) { return *this = *this + other; }
  friend constexpr auto operator<=>(Wide, Wide) = default;

 private:
  Raw raw_ = 0;
};

/// Floor of a / b, and the matching remainder, for b > 0 and any sign of a.
inline Wide floor_div(Wide a, Wide b) {
  const Wide::Raw quotient = a.raw() / b.raw();
  return Wide::from_raw(a.raw() % b.raw() < 0 ? quotient - 1 : quotient);
}
inline Wide floor_mod(Wide a, Wide b) { return a - floor_div(a, b) * b; }
inline Wide ceil_div(Wide a, Wide b) { return Wide(0) - floor_div(Wide(0) - a, b); }
inline Wide positive_part(Wide a) { return a > Wide(0) ? a : Wide(0); }

}  // namespace tilemeter
