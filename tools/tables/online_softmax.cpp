// Module 08, step 3: the softmax of one row, four scores at a time.
#include <cmath>
#include <limits>

#include "sim/numeric.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count scores_count = 12;
constexpr Count chunk = 4;
constexpr double spread = 3;
constexpr std::uint64_t seed = 3;

/// Twelve normal numbers of standard deviation 3, as one row.
Matrix row_of_scores() {
  Problem problem{.seq_q = scores_count, .head_dim = 1, .head_dim_v = 1, .dtype = DType::fp64};
  return spread * attention_inputs(problem, seed).at(TensorName::Q).front().transpose();
}

struct Statistics {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double sum_without_rescaling = 0;
};

/// The state after each chunk.
std::vector<Statistics> online_statistics(const Matrix& row) {
  Matrix m = Matrix::Constant(1, 1, -std::numeric_limits<double>::infinity());
  Matrix l = Matrix::Zero(1, 1);
  Matrix rescale(1, 1), carried(1, 1);
  std::vector<Statistics> states;
  double broken = 0;
  for (Count first = 0; first < scores_count; first += chunk) {
    Matrix scores = row.middleCols(first, chunk);
    numerics::online_softmax<double>(scores, m, l, rescale, carried);
    broken += l(0, 0) - carried(0, 0);
    states.push_back({.largest = m(0, 0), .sum = l(0, 0), .sum_without_rescaling = broken});
  }
  return states;
}

double largest_error(const Matrix& row, double largest, double sum) {
  Matrix expected = row;
  numerics::softmax<double>(expected);
  return ((row.array() - largest).exp() / sum - expected.array()).abs().maxCoeff();
}

/// Printed by the module for NumPy's numbers.
constexpr double printed_m[] = {1.9213, 3.9120, 3.9120};
constexpr double printed_l[] = {1.5126, 1.6125, 1.6411};
constexpr double printed_broken_error = 0.2700173732766699;

void add_chunk(Table& table, std::size_t index, const Statistics& state) {
  const std::string after = "after chunk " + std::to_string(index);
  Judge judge(table, after);
  judge.same_order("m", state.largest, printed_m[index]).same_order("l", state.sum, printed_l[index]);
  table.rows.push_back({"m " + after, Decimal{state.largest, 4}, Decimal{printed_m[index], 4}, judge.verdict()});
  table.rows.push_back({"l " + after, Decimal{state.sum, 4}, Decimal{printed_l[index], 4}, judge.verdict()});
}

}  // namespace

Table online_softmax() {
  Table table;
  table.columns = {{"quantity", ""}, {"value", ""}, {"reference", ""}, {"verdict", ""}};
  const Matrix row = row_of_scores();
  const std::vector<Statistics> states = online_statistics(row);
  for (std::size_t i = 0; i < states.size(); ++i) add_chunk(table, i, states[i]);
  const Statistics& last = states.back();
  const double error = largest_error(row, last.largest, last.sum);
  Judge exact(table, "online softmax");
  exact.close("largest error", error, 0, 1e-15);
  table.rows.push_back({"largest error of the online softmax", Scientific{error}, Scientific{0}, exact.verdict()});
  const double broken = largest_error(row, last.largest, last.sum_without_rescaling);
  Judge judge(table, "without rescaling");
  judge.same_order("largest error", broken, printed_broken_error);
  table.rows.push_back(
      {"largest error without rescaling", Decimal{broken, 4}, Decimal{printed_broken_error, 4}, judge.verdict()});
  table.notes = {
      "12 normal scores of standard deviation 3 (of our own, seed 3), in chunks of 4; the source drew NumPy's"};
  return table;
}

}  // namespace tilemeter::tables
