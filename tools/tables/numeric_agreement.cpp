// Module 08, step 4: tiled and standard attention on the same numbers.
#include <cmath>

#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

constexpr Count head_dim = 64;
constexpr Count capacity = 50000;
constexpr std::uint64_t seed = 1;

struct PrintedRow {
  Count seq;
  DType dtype;
  MaskKind mask;
  double error;
};

constexpr PrintedRow printed[] = {
    {256, DType::fp64, MaskKind::none, 5.551e-16},    {1000, DType::fp64, MaskKind::none, 2.012e-16},
    {1000, DType::fp64, MaskKind::causal, 7.772e-16}, {1000, DType::fp32, MaskKind::none, 7.661e-08},
    {1000, DType::fp32, MaskKind::causal, 2.157e-07}, {2048, DType::fp32, MaskKind::causal, 2.671e-07},
};

/// How far two outputs are apart, and how many elements pass |a - b| <= absolute + relative |b|.
struct Distance {
  double largest = 0;
  Count outside = 0;
};

Distance distance(const Matrix& standard, const Matrix& tiled, DType dtype) {
  const double relative = dtype == DType::fp64 ? 1e-9 : 1e-4;
  const double absolute = dtype == DType::fp64 ? 1e-10 : 1e-5;
  const auto error = (standard - tiled).array().abs();
  const auto within = error <= absolute + relative * tiled.array().abs();
  return {.largest = error.maxCoeff<Eigen::PropagateNaN>(),
          .outside = static_cast<Count>(standard.size()) - static_cast<Count>(within.count())};
}

Matrix output_of(std::string_view algorithm, const Case& point, const Values& inputs) {
  return run_on(find_algorithm(algorithm), point, Budget{}, inputs).outputs.at(TensorName::O).front();
}

Case point_of(const PrintedRow& row) {
  Case point = uniform_head(row.seq, head_dim, row.dtype);
  point.problem.mask.kind = row.mask;
  return ruled("flash1", point, BlockRule::paper, capacity);
}

/// As the source really computes fp32: in double precision, with the tiled O, l and m stored as fp32.
Distance promoted_distance(const Case& point, const Values& inputs) {
  Case promoted = point;
  promoted.problem.dtype = promoted.problem.score_dtype = DType::fp64;
  return distance(output_of("standard", promoted, inputs), output_of("flash1", promoted, inputs), DType::fp32);
}

void add_row(Table& table, const PrintedRow& row) {
  const Case point = point_of(row);
  const Values inputs = attention_inputs(point.problem, seed);
  const Matrix tiled_output = output_of("flash1", point, inputs);
  const Distance apart = distance(output_of("standard", point, inputs), tiled_output, row.dtype);
  const Values exact = attention_reference(point.problem, inputs, Dropout::none, 0);
  const Distance from_exact = distance(exact.at(TensorName::O).front(), tiled_output, row.dtype);
  const std::string mask(row.mask == MaskKind::causal ? "yes" : "no");
  Judge judge(table, "N " + std::to_string(row.seq) + ", " + std::string(name_of(row.dtype)) + ", causal " + mask);
  judge.equal("elements outside the tolerance", apart.outside, 0).same_order("error", apart.largest, row.error);
  Cell promoted_error;
  if (row.dtype == DType::fp32) {
    const double error = promoted_distance(point, inputs).largest;
    judge.same_order("error of the promoted run", error, row.error).remark("off: computed in float64, see note");
    promoted_error = Scientific{error};
  }
  table.rows.push_back({row.seq, std::string(name_of(row.dtype)), mask, Scientific{apart.largest},
                        Scientific{row.error}, promoted_error, Scientific{from_exact.largest}, judge.verdict()});
}

}  // namespace

Table numeric_agreement() {
  Table table;
  table.columns = {{"N", "rows"},        {"dtype", ""},          {"causal", ""},           {"tiled - standard", "max"},
                   {"reference", "max"}, {"stored fp32", "max"}, {"tiled - exact", "max"}, {"verdict", ""}};
  for (const PrintedRow& row : printed) add_row(table, row);
  table.notes = {
      "flash1 with tiles (64, 196), d = 64; standard normal numbers of our own (seed 1), where the source drew NumPy's",
      "every element within rtol 1e-9, atol 1e-10 (fp64), rtol 1e-4, atol 1e-5 (fp32); exact: double precision",
      "off: the source's fp32 rows divide by a float64 sqrt(d), which makes NumPy 2 compute in float64; `stored fp32` "
      "does the same (all in fp64, only the tiled O, l, m kept as fp32), `tiled - standard` computes in fp32"};
  return table;
}

}  // namespace tilemeter::tables
