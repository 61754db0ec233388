#include "tools/validate/ladder.hpp"

#include <array>

namespace tilemeter::validation {
namespace {

constexpr std::string_view flash3_prefix = "flash3_rung";
constexpr double signless_gain = 0.01;
constexpr double allowed_points = 10;

/// Number i is the rung below rung i + 1; 0 for the first.
constexpr std::array<int, 12> below_flash3 = {0, 1, 2, 2, 2, 5, 6, 7, 8, 8, 8, 11};

const Row* time_of(const std::vector<Row>& rows, const Row& like, std::string_view kernel) {
  for (const Row& row : rows) {
    if (row.metric == Metric::time && row.kernel == kernel && row.problem == like.problem && row.split == like.split) {
      return &row;
    }
  }
  return nullptr;
}

LadderStep step_of(const Row& rung, const Row& below) {
  LadderStep step{.split = rung.split,
                  .rung = rung.kernel,
                  .below = below.kernel,
                  .problem = rung.problem,
                  .measured = below.measured / rung.measured - 1,
                  .predicted = below.predicted / rung.predicted - 1};
  step.sign = std::abs(step.measured) < signless_gain || step.measured * step.predicted > 0;
  step.within = std::abs(step.points()) <= allowed_points;
  return step;
}

}  // namespace

std::optional<std::string> rung_below(std::string_view kernel) {
  if (!kernel.starts_with(flash3_prefix)) return std::nullopt;
  for (std::size_t i = 0; i < below_flash3.size(); ++i) {
    if (kernel.substr(flash3_prefix.size()) != std::to_string(i + 1)) continue;
    if (below_flash3[i] == 0) return std::nullopt;
    return std::string(flash3_prefix) + std::to_string(below_flash3[i]);
  }
  return std::nullopt;
}

std::vector<LadderStep> ladder_steps(const std::vector<Row>& rows) {
  std::vector<LadderStep> steps;
  for (const Row& row : rows) {
    if (row.metric != Metric::time) continue;
    const auto below = rung_below(row.kernel);
    const Row* base = below ? time_of(rows, row, *below) : nullptr;
    if (base != nullptr) steps.push_back(step_of(row, *base));
  }
  return steps;
}

}  // namespace tilemeter::validation
