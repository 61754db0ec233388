// Ctrl-C and SIGTERM as a request to stop after the points under way.
#pragma once

#include <stdexcept>
#include <string>

namespace tilemeter {

/// The user stopped the program; the message says how to go on.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// While one exists, SIGINT and SIGTERM set a flag instead of ending the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool requested();
};

}  // namespace tilemeter
