// Which rows of an output a reference is computed for.
#include <algorithm>
#include <numeric>
#include <random>

#include "kernels/reference.hpp"
#include "model/closed_form/catalog.hpp"

namespace tilemeter::kernels {
namespace {

OutputShape shape_of_attention(const Problem& problem) {
  const auto per_key = static_cast<double>(2 * problem.head_dim + problem.head_dim_v);
  return {.tensor = TensorName::O,
          .matrices = problem.batch * problem.heads,
          .rows = problem.seq_q,
          .cols = problem.head_dim_v,
          .work_per_row = per_key * static_cast<double>(problem.seq_k)};
}

/// Of the gradients; dV has the rows of dK, and is as wide where V is as K.
std::vector<OutputShape> shapes_of_gradients(const Problem& problem) {
  const auto per_pair = static_cast<double>(2 * (problem.head_dim + problem.head_dim_v));
  const auto rows_of_keys = static_cast<double>(problem.group() * problem.seq_q);
  return {{.tensor = TensorName::dQ,
           .matrices = problem.batch * problem.heads,
           .rows = problem.seq_q,
           .cols = problem.head_dim,
           .work_per_row = per_pair * static_cast<double>(problem.seq_k)},
          {.tensor = TensorName::dK,
           .matrices = problem.batch * problem.kv_heads,
           .rows = problem.seq_k,
           .cols = problem.head_dim,
           .work_per_row = per_pair * rows_of_keys}};
}

std::vector<Count> some_of(Count rows, Count wanted, std::mt19937_64& random) {
  std::vector<Count> chosen = {0};
  if (rows > 1) chosen.push_back(rows - 1);
  std::uniform_int_distribution<Count> any(0, rows - 1);
  while (std::ssize(chosen) < wanted) chosen.push_back(any(random));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

std::vector<Count> all_of(Count rows) {
  std::vector<Count> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), Count{0});
  return all;
}

}  // namespace

std::vector<OutputShape> output_shapes(std::string_view algorithm, const Case& point) {
  const Shapes& shapes = point.shapes;
  const Count batch = point.problem.batch;
  switch (formula_of(algorithm).computation) {
    case Computation::attention:
    case Computation::linear_attention:
      return {shape_of_attention(point.problem)};
    case Computation::gradients:
      return shapes_of_gradients(point.problem);
    case Computation::gemm:
      return {
          {TensorName::C, batch, shapes.m, shapes.n, static_cast<double>(shapes.n) * static_cast<double>(shapes.k)}};
    case Computation::softmax:
      return {{TensorName::Y, batch, shapes.rows, shapes.cols, 3 * static_cast<double>(shapes.cols)}};
    case Computation::chain:
      return {{TensorName::Y, batch, shapes.length, 1, static_cast<double>(point.options.ops)}};
    case Computation::layer:
      return {{TensorName::Y, batch, shapes.tokens, shapes.d_out,
               static_cast<double>(shapes.d_out) * static_cast<double>(shapes.d_in)}};
  }
  throw InputError("--algorithm " + std::string(algorithm) + ": kernels of it have no reference on the GPU");
}

std::vector<Count> rows_to_check(const OutputShape& shape, double work, Count elements, std::uint64_t seed) {
  constexpr Count least = 2;
  constexpr double most_rows = 1 << 22;
  const auto matrices = static_cast<double>(shape.matrices);
  const double by_work = work / std::max(1.0, shape.work_per_row * matrices);
  const double by_memory = static_cast<double>(elements) / (static_cast<double>(shape.cols) * matrices);
  const double affordable = std::min({by_work, by_memory, most_rows / matrices});
  std::mt19937_64 random(seed);
  std::vector<Count> rows;
  for (Count matrix = 0; matrix < shape.matrices; ++matrix) {
    const std::vector<Count> own = affordable < static_cast<double>(shape.rows)
                                       ? some_of(shape.rows, std::max(least, static_cast<Count>(affordable)), random)
                                       : all_of(shape.rows);
    for (const Count row : own) rows.push_back(matrix * shape.rows + row);
  }
  return rows;
}

}  // namespace tilemeter::kernels
