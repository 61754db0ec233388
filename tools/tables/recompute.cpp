// Module 08, step 6: P rebuilt tile by tile from Q, K and one number a row.
#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "sim/operands.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count seq = 1000;
constexpr Count head_dim = 64;
constexpr Count capacity = 50000;
constexpr std::uint64_t seed = 1;

/// Rows of S = q k^T / sqrt(d).
Matrix scores_of(const Problem& problem, const Matrix& q, const Matrix& k) {
  Matrix scores = Matrix::Zero(q.rows(), k.rows());
  numerics::add_scores<double>(scores, q, k);
  numerics::scale<double>(scores, score_scale(problem));
  return scores;
}

/// The largest |exp(S - LSE) - P| over all tiles, each rebuilt on its own.
double largest_difference(const Case& point, const Values& inputs, const Matrix& lse, const Matrix& stored) {
  double largest = 0;
  const Tiling& tiling = point.tiling;
  for (Count row = 0; row < seq; row += tiling.block_q) {
    const Count rows = std::min(tiling.block_q, seq - row);
    for (Count key = 0; key < seq; key += tiling.block_k) {
      const Count keys = std::min(tiling.block_k, seq - key);
      const Matrix scores = scores_of(point.problem, inputs.at(TensorName::Q).front().middleRows(row, rows),
                                      inputs.at(TensorName::K).front().middleRows(key, keys));
      const Matrix rebuilt = (scores.colwise() - lse.col(0).segment(row, rows)).array().exp();
      const Matrix error = rebuilt - stored.block(row, key, rows, keys);
      largest = std::max(largest, error.cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    }
  }
  return largest;
}

void add_difference(Table& table, const Case& point) {
  const Values inputs = attention_inputs(point.problem, seed);
  const NumericOutputs run = run_on(find_algorithm("flash1"), point, Budget{}, inputs);
  Matrix stored = scores_of(point.problem, inputs.at(TensorName::Q).front(), inputs.at(TensorName::K).front());
  numerics::softmax<double>(stored);
  const double difference = largest_difference(point, inputs, run.outputs.at(TensorName::LSE).front(), stored);
  constexpr double printed = 5.20e-17;
  Judge judge(table, "difference");
  judge.same_order("difference", difference, printed);
  table.rows.push_back(
      {"largest difference of recomputed and stored P", Scientific{difference}, Scientific{printed}, judge.verdict()});
}

void add_count(Table& table, const std::string& what, Count kept, Count printed) {
  Judge judge(table, what);
  judge.equal("numbers kept", kept, printed);
  table.rows.push_back({what, kept, printed, judge.verdict()});
}

}  // namespace

Table recompute() {
  Table table;
  table.columns = {{"quantity", ""}, {"value", ""}, {"reference", ""}, {"verdict", ""}};
  const Case point = ruled("flash1", uniform_head(seq, head_dim, DType::fp64), BlockRule::paper, capacity);
  add_difference(table, point);
  add_count(table, "numbers kept for the backward pass, standard (P)",
            bill("standard", point).counted[TensorName::P].write.value(), 1'000'000);
  add_count(table, "numbers kept for the backward pass, tiled (LSE)",
            bill("flash2", point).counted[TensorName::LSE].write.value(), 1000);
  table.notes = {
      "N = 1000, d = 64, fp64, tiles (64, 196); LSE = m + log(l) of a flash1 run with numbers of our own (seed 1)"};
  return table;
}

}  // namespace tilemeter::tables
