// Writes the figures of a closed form down: products of factors per stream, times the streams, under the figure's name.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "model/problem.hpp"
#include "model/wide.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// Type in memory of a tensor that is not read back: S P E Pd dP dS as scores, l m LSE D, dQacc and partial results as
/// statistics, like the state KV, Z one byte, the block table four, O of fp8 operands as fp8_output, all others as
/// the operands.
DType dtype_of(TensorName tensor, const Problem& problem);
/// The same with the options of a point: W as its weights, their scales in fp16.
DType dtype_of(TensorName tensor, const Case& point);

/// A bill under construction. Every amount is per stream, a product of non-negative factors; the product, the total
/// over the streams and its bytes each throw FigureOverflow past 2^63 - 1: "S write elements", "K read bytes",
/// "matmul_flops".
class Bill {
 public:
  using Factors = std::initializer_list<Wide>;

  /// `read_back` is the tensor that is stored as o_dtype, if any.
  explicit Bill(const Problem& problem, std::optional<TensorName> read_back = std::nullopt)
      : problem_(problem), read_back_(read_back) {}

  void read(TensorName tensor, Factors elements);
  /// Reads `rows` times a stored row of `cols` elements of `type`, each row in whole bytes.
  void read_rows(TensorName tensor, Factors rows, Count cols, DType type);
  void write(TensorName tensor, Factors elements);
  /// Multiply-adds, two FLOPs each.
  void multiply_add(Factors count);
  void score_exponentials(Factors count);
  void rescale_exponentials(Factors count);
  void combine_exponentials(Factors count);
  void tiles(Factors count);

  const Work& work() const { return work_; }

 private:
  Count over_streams(std::string_view figure, Factors factors) const;
  DType stored_as(TensorName tensor) const;

  Problem problem_;
  std::optional<TensorName> read_back_;
  Work work_;
};

}  // namespace tilemeter
