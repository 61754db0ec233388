#include "tools/attend.hpp"

#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/text.hpp"
#include "tools/time/timed_point.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view caller = "attention";

std::vector<std::string_view> attention_algorithms() {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.computation() == Computation::attention) names.push_back(algorithm.name);
  }
  return names;
}

/// Before anything is said of sizes that another computation does not have.
void require_attention(const Arguments& arguments) {
  const std::string name = arguments.find("--algorithm").value_or("");
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name != name || algorithm.computation() == Computation::attention) continue;
    refuse_word("--algorithm", name, attention_algorithms());
  }
}

PointRequest single_request(const Arguments& arguments) {
  require_attention(arguments);
  const PointGrid grid = point_grid(arguments, caller, Several::one_but_algorithms);
  if (grid.size() > 1) throw InputError("--algorithm: " + std::string(caller) + " takes one");
  PointRequest request = grid[0];
  const Algorithm& algorithm = *request.algorithm;
  if (request.segments) throw InputError("--segments: " + std::string(caller) + " takes lengths from its arrays");
  if (algorithm.name == "standard_unfused" && request.options.unfused_dropout) {
    throw InputError("--unfused with dropout drops scores at random: expected scale,mask or one of them");
  }
  check(request, {});
  return request;
}

/// Rows of the heads of a group in turn, a matrix a group.
std::vector<Matrix> packed_rows(const std::vector<Matrix>& heads, const Problem& problem) {
  const Count group = problem.group();
  std::vector<Matrix> packed;
  for (std::size_t first = 0; first < heads.size(); first += static_cast<std::size_t>(group)) {
    Matrix rows(problem.rows(), heads[first].cols());
    for (Count row = 0; row < rows.rows(); ++row) {
      rows.row(row) = heads[first + static_cast<std::size_t>(row % group)].row(row / group);
    }
    packed.push_back(std::move(rows));
  }
  return packed;
}

/// The other way.
std::vector<Matrix> head_rows(const std::vector<Matrix>& packed, const Problem& problem) {
  const Count group = problem.group();
  std::vector<Matrix> heads;
  for (const Matrix& rows : packed) {
    for (Count head = 0; head < group; ++head) {
      Matrix own(problem.seq_q, rows.cols());
      for (Count row = 0; row < problem.seq_q; ++row) own.row(row) = rows.row(row * group + head);
      heads.push_back(std::move(own));
    }
  }
  return heads;
}

}  // namespace

Attended attend(const Arguments& arguments, Values inputs) {
  const PointRequest request = single_request(arguments);
  const PointResult counted = evaluate(request, {});
  if (counted.refusal) throw InputError(*counted.refusal);
  const Problem& problem = counted.problem;
  const bool packed = problem.packing == Packing::packed;
  if (packed) inputs[TensorName::Q] = packed_rows(inputs[TensorName::Q], problem);
  NumericOutputs run = run_on(*request.algorithm, cases_of(counted).front(), counted.budget, inputs);
  if (packed) {
    for (auto& [name, matrices] : run.outputs) matrices = head_rows(matrices, problem);
  }
  if (run.counted.work != counted.counted) throw std::logic_error("the run moved what was not counted");
  return {.point = point_json(counted, Feasibility::silent), .outputs = std::move(run.outputs)};
}

}  // namespace tilemeter
