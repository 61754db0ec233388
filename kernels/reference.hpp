// What kernels must give, computed on the GPU in double precision by the definition: slow, simple, for some rows.
#pragma once

#include <span>
#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// Rows of one output. `rows` are counted through all matrices of the tensor: row r of matrix i is i * R + r for
/// matrices of R rows. A chain's output has rows of one element.
struct ReferenceRows {
  TensorName tensor;
  Count cols = 1;
  std::vector<Count> rows;
  Buffer<double> exact;    ///< (rows, cols)
  Buffer<double> rounded;  ///< the same, with scores, weights and outputs rounded to the type of the operands
  Buffer<double> squares;  ///< sums of the squared terms where terms cancel (linear attention, gradients), else empty
};

/// The shape of an output.
struct OutputShape {
  TensorName tensor;
  Count matrices;
  Count rows;  ///< of a matrix
  Count cols;
  double work_per_row;  ///< multiply-adds, about
};

/// Rows of an output that a check looks at.
struct RowsToCheck {
  OutputShape shape;
  std::vector<Count> rows;
};

/// The shapes of what the algorithm writes at `point`, one for all tensors that have the same rows: O, C or Y; dQ and
/// dK. Throws InputError for a computation without a reference.
std::vector<OutputShape> output_shapes(std::string_view algorithm, const Case& point);

/// Computes the rows of `checked`, which has an element for each of output_shapes: of that tensor, of LSE beside O, and
/// of dV beside dK. Reads the inputs in `tensors`, whose types `operands` has, and waits. LSE of rows without keys is
/// `empty_lse`. Throws CudaError.
std::vector<ReferenceRows> reference_rows(std::string_view algorithm, const Tensors& tensors,
                                          std::span<const Operand> operands, const Case& point,
                                          std::span<const RowsToCheck> checked, double empty_lse, Stream stream);

/// The rows that a check of about `work` multiply-adds and `elements` outputs can afford, in order: all of them, or the
/// first, the last and random ones of each matrix.
std::vector<Count> rows_to_check(const OutputShape& shape, double work, Count elements, std::uint64_t seed);

}  // namespace tilemeter::kernels
