// The errors that input can cause. `main` turns each into one message and exit status 2.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tilemeter {

/// Wrong or infeasible input. The message names the option or key, the value, and what is accepted.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A figure does not fit in a signed 64-bit integer. The message names the figure.
class FigureOverflow : public InputError {
 public:
  explicit FigureOverflow(std::string_view figure)
      : InputError(std::string(figure) + " would pass 2^63 - 1 (9223372036854775807); use smaller sizes") {}
};

/// Arithmetic passed 2^63 - 1 where the figure's name is not known yet; `named` adds it.
class UnnamedOverflow : public std::overflow_error {
 public:
  UnnamedOverflow() : std::overflow_error("a figure passed 2^63 - 1") {}
};

/// Runs `compute`; an overflow in it becomes a FigureOverflow that names `figure`.
template <class Compute>
auto named(std::string_view figure, Compute compute) {
  try {
    return compute();
  } catch (const UnnamedOverflow&) {
    throw FigureOverflow(figure);
  }
}

}  // namespace tilemeter
