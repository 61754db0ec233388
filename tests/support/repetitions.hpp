// How often a law is tried.
#pragma once

namespace tilemeter::testing {

/// `full` trials; a quarter of them under AddressSanitizer, where each takes ten times as long.
constexpr int repetitions(int full) {
#ifdef __SANITIZE_ADDRESS__
  return (full + 3) / 4;
#else
  return full;
#endif
}

}  // namespace tilemeter::testing
