#include "model/complexity/theorem.hpp"

#include <algorithm>
#include <array>

#include "model/complexity/theorems/all.hpp"
#include "model/suggest.hpp"

namespace tilemeter::complexity {

std::span<const Theorem> theorems() {
  static const std::array table = {
      flash_memory(), flash_forward(), flash_backward(), square_tiles(), flash_lower_bound(),
      block_sparse(), small_cache(),   backward_order(), row_granular(), matmul(),
  };
  return table;
}

const Theorem& find_theorem(std::string_view name) {
  std::string names;
  std::vector<std::string_view> known;
  for (const Theorem& theorem : theorems()) {
    if (theorem.name == name) return theorem;
    known.push_back(theorem.name);
    names += (names.empty() ? "" : ", ") + std::string(theorem.name);
  }
  throw InputError("--theorem " + std::string(name) + ": unknown" + suggestion(name, known) + "; choose from " + names);
}

bool Measured::holds() const {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.holds(); });
}

std::string Measured::verdict() const {
  const auto outside = std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return !f.holds(); });
  if (findings.empty()) return "not measured: none of its algorithms was asked for";
  if (outside == 0) return std::string(theorem->conclusion);
  return "DIFFERS: " + std::to_string(outside) + " of " + std::to_string(findings.size()) +
         " figures lie outside of what is accepted";
}

Measured measure(const Theorem& theorem, const Counting& counting, std::uint64_t seed,
                 const std::function<bool(std::string_view)>& wanted) {
  Measured measured{.theorem = &theorem, .findings = {}};
  const auto run = [&](const auto& experiment) {
    if (!wanted(experiment.contender.algorithm)) return;
    const std::vector<Finding> found = measure(experiment, experiment.grid(seed), counting);
    measured.findings.insert(measured.findings.end(), found.begin(), found.end());
  };
  for (const FitExperiment& experiment : theorem.fits) run(experiment);
  for (const RatioExperiment& experiment : theorem.ratios) run(experiment);
  return measured;
}

}  // namespace tilemeter::complexity
