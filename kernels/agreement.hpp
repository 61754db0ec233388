// Whether numbers agree with a reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/tensor.hpp"
#include "model/tolerance.hpp"

namespace tilemeter::kernels {

/// What a comparison of many elements adds up to. An infinity agrees with an equal one; everything else that is not
/// finite, on either side, agrees with nothing.
struct ErrorSums {
  double squared_error = 0;
  double squared_norm = 0;
  double max_error = 0;           ///< largest |value - exact|
  double max_relative_error = 0;  ///< largest |value - exact| / max(1, |exact|)
  double max_rounding_error = 0;  ///< largest |rounded - exact|: what rounding to the operands' type costs
  Count compared = 0;
  Count not_finite = 0;  ///< elements of which one side is NaN, or an infinity that the other side is not
};

/// Both sums in one.
ErrorSums operator+(const ErrorSums& a, const ErrorSums& b);

/// The tensors differ in what a large error is relative to.
enum class ErrorMeasure {
  frobenius,  ///< the norm of the tensor, and the elementwise rule beside it
  each        ///< each element's own size, at least 1: LSE
};

/// A tensor held against its reference.
struct Agreement {
  double error = 0;  ///< relative
  double tolerance = 0;
  std::optional<double>
      rms{};  ///< root mean square of the error, relative to that of the norm, where this is asked for
  double max_error = 0;
  std::optional<double> allowed_max_error{};  ///< by the elementwise rule, where it applies
  Count not_finite = 0;
  std::optional<std::string> failure{};  ///< why the tensor does not agree
};

/// Holds the relative error against `tolerance`, and with ErrorMeasure::frobenius every element against
/// |value - exact| <= 2 `growth` max|rounded - exact| + 1e-5: `growth` is by how much more than one rounding of each
/// result the algorithm may lose. Comparing nothing is a failure.
Agreement judge(const ErrorSums& sums, ErrorMeasure measure, double tolerance, double growth = 1);

/// One output of a kernel, held against its reference.
struct TensorCheck {
  TensorName tensor;
  Agreement agreement;
};

/// What the gate found.
struct GateResult {
  std::vector<TensorCheck> tensors{};
  Count rows = 0;  ///< compared, of the output's
  Count rows_in_all = 0;
  std::optional<std::string> failure{};  ///< why the kernel's times would mean nothing
};

}  // namespace tilemeter::kernels
