// The gate that a kernel passes before it is timed: its numbers against a reference in double precision.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/agreement.hpp"
#include "kernels/operand_memory.hpp"

namespace tilemeter::kernels {

/// How much the gate may spend, and what algorithms differ in.
struct GateSettings {
  std::uint64_t seed = 1;
  double empty_lse = 0;             ///< LSE of a row without keys
  double tolerance_growth = 1;      ///< of the relative error, for outputs that are rounded several times
  double rounding_growth = 1;       ///< of the largest error, likewise
  double work = 5e10;               ///< multiply-adds of the reference, about; rows are drawn at random beyond
  Count elements = Count{1} << 26;  ///< of the output that are compared
};

/// Poisons the outputs, launches, and compares. A launch that fails is a failure of the gate, as are a NaN anywhere in
/// an output (not only in the rows compared), and bytes written behind a tensor. Throws InputError for a point that
/// the kernel does not support, CudaError when the comparison itself fails.
GateResult pass_gate(const Kernel& kernel, const Case& point, OperandMemory& memory, const GateSettings& settings,
                     Stream stream);

/// Adds up the errors of rows of `values` (a matrix of `cols` columns) against the rows' reference. Waits.
ErrorSums compare_rows(void* values, DType type, std::span<const Count> rows, Count cols, const double* exact,
                       const double* rounded, Stream stream);

/// NaN among `elements`. Waits.
Count count_nan(void* values, DType type, Count elements, Stream stream);

}  // namespace tilemeter::kernels
