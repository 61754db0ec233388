// Errors by split, metric and kernel, and a verdict on each metric.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/statistics.hpp"

namespace tilemeter::validation {

/// Whose rows are taken together: this project's kernels, the steps of their ladders, and other projects' kernels.
std::string_view group_of(const Row& row);
inline constexpr std::string_view own_kernels = "own kernels";
inline constexpr std::string_view ladder_rungs = "rungs of ladders";
inline constexpr std::string_view other_kernels = "other kernels";

struct Summary {
  std::string split;  ///< empty for metrics that no fit touches
  Role role = Role::unfitted;
  Metric metric = Metric::time;
  std::string who;    ///< a group, or a kernel
  bool group = true;  ///< of a whole group
  ErrorSummary errors;
};

/// One for each split, role, metric and group, each followed by those of its kernels; without groups that have no row.
std::vector<Summary> summaries_of(const std::vector<Row>& rows);

enum class Status { kept, missed, no_limit };
std::string_view name_of(Status status);

struct Verdict {
  Metric metric = Metric::time;
  std::string split;
  std::string who;
  std::string limit{};  ///< in words
  Status status = Status::no_limit;
  std::string words{};  ///< the figures that decide it
  ErrorSummary errors{};
  std::vector<const Row*> worst{};  ///< of a limit that is missed
};

/// A verdict for every metric that has rows; of times one for each split and group, on what the split is about:
/// held-out rows where it holds some out. No metric excuses another.
std::vector<Verdict> verdicts_of(const std::vector<Row>& rows);

/// Whether the program ends with status 1: bytes per tensor that are not exact.
bool fails(const Verdict& verdict);

}  // namespace tilemeter::validation
