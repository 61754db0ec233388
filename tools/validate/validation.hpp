// Everything that `validate` finds out, before it is written down.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/validate/experiment.hpp"
#include "tools/validate/ladder.hpp"
#include "tools/validate/summary.hpp"

namespace tilemeter::validation {

struct Question {
  std::vector<Observation> observations;
  std::vector<std::string> notes;  ///< what was read and is none
  std::shared_ptr<const Device> device;
  std::vector<Split> splits;
  std::vector<Metric> metrics;
  bool all = false;  ///< a split that has nothing to fit is a note rather than an error
  MemoryBy memory = MemoryBy::engine;
  std::size_t threads = 1;
};

struct Validation {
  std::shared_ptr<const Device> device;
  std::vector<ValidatedPoint> points;
  std::vector<Experiment> experiments;  ///< of the splits that could be made; their rows have moved to `rows`
  std::vector<Row> rows;                ///< of bytes, then of times by split
  std::vector<Summary> summaries;       ///< their rows are in `rows`
  std::vector<Verdict> verdicts;        ///< likewise
  std::vector<LadderStep> ladder;
  std::vector<std::string> missing;  ///< metrics that observations lack, with the reason
  std::vector<std::string> notes;
};

/// Throws InputError where nothing can be compared.
Validation validated(Question question);

}  // namespace tilemeter::validation
