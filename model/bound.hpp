// Lower bounds on traffic: how little any algorithm of a class can move.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// What an algorithm does with the score matrix; each class has bounds of its own.
enum class BoundClass {
  every,           ///< whatever computes the outputs
  row_granular,    ///< scores stay on chip, formed while the whole query row and the whole key row are resident
  score_products,  ///< scores go through memory; the two products are kernels of their own, with classical arithmetic
  product          ///< one classical matrix product
};

/// What a bound says, where it holds, and who proved it.
struct BoundDescription {
  std::string_view name;
  std::string_view statement;
  std::string_view validity;
  std::string_view source;
  BoundClass of_class;
};

const BoundDescription& compulsory_bound();
const BoundDescription& row_granular_bound();
const BoundDescription& score_products_bound();
const BoundDescription& matmul_bound();
const BoundDescription& deep_matmul_bound();

/// At least this many elements cross the edge of the SM when the memory on chip holds `capacity` elements. A row of
/// queries with its result, or of keys with its values, is d + d_v elements, so C = floor(M / (d + d_v)) rows are on
/// chip at most. Each load makes at most C - 1 pairs possible, so there are at least ceil(pairs / (C - 1)) loads, each
/// of d + d_v elements; the first load of a query row costs only d, and the write of its result pays the rest. N =
/// 4096, d = 64, M = 50000: C = 390, 5520640 elements. `pairs` are the visible ones over batch x heads. Nothing when C
/// < 2, where no pair can meet.
std::optional<Elements> row_granular_least(const Problem& problem, Elements capacity);

/// C (m x n) = A (m x k) B (k x n), all at least 1.
struct MatmulShape {
  Count rows = 1;   ///< m
  Count cols = 1;   ///< n
  Count depth = 1;  ///< k
};

/// The product of a gemm point.
MatmulShape product_of(const Case& point);

/// max(mk + kn + mn, 2mnk / sqrt(M) - 2M) elements, rounded down: holds for every shape, for classical multiplication.
Elements matmul_least(const MatmulShape& shape, Elements capacity);

/// 2mnk / sqrt(M) + mn elements, rounded down; nothing when k < 2 sqrt(M), where an operand that stays on chip moves
/// less.
std::optional<Elements> deep_matmul_least(const MatmulShape& shape, Elements capacity);

/// The two products of attention, each at least matmul_least, over batch x heads; the scores are whole rectangles, and
/// query heads that share K and V may work on them together.
Elements score_products_least(const Problem& problem, Elements capacity);

/// The class of an algorithm, as its bill shows it: attention is `row_granular` when it has an exponential and the
/// classical products for every visible pair and no traffic of any score-shaped tensor, and `score_products` when S
/// moves; a GEMM is a `product`. Algorithms without memory on chip (`on_chip` = 0), and all others, are in `every`.
BoundClass class_of(std::string_view algorithm, const Case& point, const Work& work, Elements on_chip);

/// A bound and its value for one point.
struct LowerBound {
  const BoundDescription* description = nullptr;
  Elements least;
};

/// The compulsory traffic, and the bound of the class at `on_chip` elements, for a point of `algorithm` whose bill is
/// `work`. Throws FigureOverflow, and InputError for a point that the algorithm does not take.
std::vector<LowerBound> bounds_of(std::string_view algorithm, const Case& point, const Work& work, Elements on_chip);

/// The largest of `bounds`, of which there is at least one.
const LowerBound& best_of(const std::vector<LowerBound>& bounds);

/// Orders of growth without constants, for ratios only: nothing here is asserted.
namespace order_of_growth {

/// min(N^2 d^2 / M, N^2 d / sqrt(M)), forward (Saha and Ye 2024).
double forward(Count seq, Count head_dim, Count capacity);
/// min((N^2 d^2 + N d^3) / M, (N^2 d + N d^2) / sqrt(M)), backward (Li et al. 2024).
double backward(Count seq, Count head_dim, Count capacity);

}  // namespace order_of_growth

}  // namespace tilemeter
