#include "model/bound.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>

#include "model/closed_form/catalog.hpp"
#include "model/wide.hpp"

namespace tilemeter {
namespace {

constexpr BoundDescription compulsory_description = {
    .name = "compulsory",
    .statement = "every needed input once, every output once",
    .validity = "every algorithm, every M; binding once everything fits",
    .source = "definition",
    .of_class = BoundClass::every};

constexpr BoundDescription row_granular_description = {
    .name = "row-granular",
    .statement = "(d + dv) ceil(pairs / (C - 1)), C = floor(M / (d + dv)); about 4 N^2 d^2 / M",
    .validity = "scores never leave the chip and are formed while both rows are resident; M >= 2 (d + dv)",
    .source = "counting argument of model/bound.hpp, checked by exhaustive search in tests/model/bound_test.cpp",
    .of_class = BoundClass::row_granular};

constexpr BoundDescription score_products_description = {
    .name = "score products",
    .statement = "matmul bound of S = Q K^T plus that of O = P V",
    .validity = "scores go through memory, the products are separate kernels; classical multiplication",
    .source = "matmul bound, once a product",
    .of_class = BoundClass::score_products};

constexpr BoundDescription matmul_description = {.name = "matmul",
                                                 .statement = "max(mk + kn + mn, 2mnk / sqrt(M) - 2M)",
                                                 .validity = "every shape and M; classical multiplication",
                                                 .source = "Smith, Lowery, Langou, van de Geijn 2019, arXiv:1702.02017",
                                                 .of_class = BoundClass::product};

constexpr BoundDescription deep_matmul_description = {.name = "deep matmul",
                                                      .statement = "2mnk / sqrt(M) + mn",
                                                      .validity = "k >= 2 sqrt(M); classical multiplication",
                                                      .source = "Kwasniewski et al. 2019 (COSMA), arXiv:1908.09606",
                                                      .of_class = BoundClass::product};

/// The largest integer whose square is at most `square`, which is at least 0 and below 2^126.
Wide integer_root(Wide square) {
  Wide root = Wide::from_raw(static_cast<Wide::Raw>(std::sqrt(static_cast<long double>(square.raw()))));
  while (root * root > square) root = root - 1;
  while ((root + 1) * (root + 1) <= square) root += 1;
  return root;
}

/// 2mnk / sqrt(M), rounded down: exactly as long as 2mnk is below 2^63, else to an integer that is certainly not above.
Wide streaming_part(const MatmulShape& shape, Elements capacity) {
  assert(capacity.value() >= 1);
  constexpr Wide exact_below = std::numeric_limits<Count>::max();
  const Wide doubled_products = Wide(2) * shape.rows * shape.cols * shape.depth;
  if (doubled_products < exact_below) {
    return integer_root(floor_div(doubled_products * doubled_products, capacity.value()));
  }
  const long double bound =
      static_cast<long double>(doubled_products.raw()) / std::sqrt(static_cast<long double>(capacity.value()));
  return Wide::from_raw(static_cast<Wide::Raw>(bound * (1 - 8 * std::numeric_limits<long double>::epsilon())));
}

/// Runs `compute` under the name of the bound of a product.
template <class Compute>
Elements product_bound(Compute compute) {
  return named("the lower bound of a product in elements", [&] { return Elements(compute().narrow()); });
}

Wide operands_and_result(const MatmulShape& shape) {
  const Wide m = shape.rows;
  const Wide n = shape.cols;
  const Wide k = shape.depth;
  return m * k + k * n + m * n;
}

bool moves(const Work& work, TensorName tensor) { return !work[tensor].empty(); }

constexpr std::array score_shaped = {TensorName::S,  TensorName::P, TensorName::E, TensorName::Pd,
                                     TensorName::dP, TensorName::Z, TensorName::dS};

bool moves_any(const Work& work, std::span<const TensorName> tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [&](TensorName tensor) { return moves(work, tensor); });
}

bool is_row_granular(const Problem& problem, const Work& work) {
  if (moves_any(work, score_shaped)) return false;
  const Wide pairs = visible_pairs(problem);
  const Wide flops_a_pair = Wide(2) * (Wide(problem.head_dim) + problem.head_dim_v);
  return Wide(work.exp.scores) >= pairs && Wide(work.matmul_flops.value()) >= pairs * flops_a_pair;
}

BoundClass class_of_attention(const Problem& problem, const Work& work) {
  if (is_row_granular(problem, work)) return BoundClass::row_granular;
  return moves(work, TensorName::S) ? BoundClass::score_products : BoundClass::every;
}

}  // namespace

const BoundDescription& compulsory_bound() { return compulsory_description; }
const BoundDescription& row_granular_bound() { return row_granular_description; }
const BoundDescription& score_products_bound() { return score_products_description; }
const BoundDescription& matmul_bound() { return matmul_description; }
const BoundDescription& deep_matmul_bound() { return deep_matmul_description; }

std::optional<Elements> row_granular_least(const Problem& problem, Elements capacity) {
  return named("the row-granular bound in elements", [&]() -> std::optional<Elements> {
    const Wide row = Wide(problem.head_dim) + problem.head_dim_v;
    const Wide rows_on_chip = floor_div(capacity.value(), row);
    if (rows_on_chip < Wide(2)) return std::nullopt;
    return Elements((row * ceil_div(visible_pairs(problem), rows_on_chip - 1)).narrow());
  });
}

Elements matmul_least(const MatmulShape& shape, Elements capacity) {
  return product_bound([&] {
    return std::max(operands_and_result(shape), streaming_part(shape, capacity) - Wide(2) * capacity.value());
  });
}

std::optional<Elements> deep_matmul_least(const MatmulShape& shape, Elements capacity) {
  if (Wide(shape.depth) * shape.depth < Wide(4) * capacity.value()) return std::nullopt;
  return product_bound([&] { return streaming_part(shape, capacity) + Wide(shape.rows) * shape.cols; });
}

MatmulShape product_of(const Case& point) {
  return {.rows = point.shapes.m, .cols = point.shapes.n, .depth = point.shapes.k};
}

Elements score_products_least(const Problem& problem, Elements capacity) {
  if (problem.seq_q == 0 || problem.seq_k == 0) return Elements(0);
  return named("the bound of the score products in elements", [&] {
    const Count rows = checked::multiply(problem.group(), problem.seq_q);
    const MatmulShape scores{.rows = rows, .cols = problem.seq_k, .depth = problem.head_dim};
    const MatmulShape output{.rows = rows, .cols = problem.head_dim_v, .depth = problem.seq_k};
    const Count key_heads = checked::multiply(problem.batch, problem.kv_heads);
    return (matmul_least(scores, capacity) + matmul_least(output, capacity)) * key_heads;
  });
}

BoundClass class_of(std::string_view algorithm, const Case& point, const Work& work, Elements on_chip) {
  if (on_chip.value() == 0) return BoundClass::every;
  switch (formula_of(algorithm).computation) {
    case Computation::attention:
      return class_of_attention(point.problem, work);
    case Computation::gemm:
      return BoundClass::product;
    default:
      return BoundClass::every;
  }
}

std::vector<LowerBound> bounds_of(std::string_view algorithm, const Case& point, const Work& work, Elements on_chip) {
  std::vector<LowerBound> bounds = {{&compulsory_description, compulsory(algorithm, point).total().total()}};
  switch (class_of(algorithm, point, work, on_chip)) {
    case BoundClass::every:
      break;
    case BoundClass::row_granular:
      if (const auto least = row_granular_least(point.problem, on_chip)) {
        bounds.push_back({&row_granular_description, *least});
      }
      break;
    case BoundClass::score_products:
      bounds.push_back({&score_products_description, score_products_least(point.problem, on_chip)});
      break;
    case BoundClass::product:
      bounds.push_back({&matmul_description, matmul_least(product_of(point), on_chip)});
      break;
  }
  return bounds;
}

const LowerBound& best_of(const std::vector<LowerBound>& bounds) {
  assert(!bounds.empty());
  return *std::max_element(bounds.begin(), bounds.end(),
                           [](const LowerBound& a, const LowerBound& b) { return a.least < b.least; });
}

namespace order_of_growth {

double forward(Count seq, Count head_dim, Count capacity) {
  const auto n = static_cast<double>(seq);
  const auto d = static_cast<double>(head_dim);
  const auto m = static_cast<double>(capacity);
  return std::min(n * n * d * d / m, n * n * d / std::sqrt(m));
}

double backward(Count seq, Count head_dim, Count capacity) {
  const auto n = static_cast<double>(seq);
  const auto d = static_cast<double>(head_dim);
  const auto m = static_cast<double>(capacity);
  return std::min((n * n * d * d + n * d * d * d) / m, (n * n * d + n * d * d) / std::sqrt(m));
}

}  // namespace order_of_growth

}  // namespace tilemeter
