#include "tools/validate/summary.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "tools/output/number.hpp"
#include "tools/validate/splits.hpp"

namespace tilemeter::validation {
namespace {

using RowList = std::vector<const Row*>;

constexpr std::size_t worst_shown = 3;
constexpr std::array groups = {own_kernels, ladder_rungs, other_kernels};

/// Limits of errors taken together, as shares.
struct Limits {
  std::optional<double> mean{};
  std::optional<double> median{};
  double most = 0;
};

constexpr Limits dram_read_limits = {.median = 0.03, .most = 0.10};
constexpr Limits own_time_limits = {.mean = 0.03, .most = 0.10};
constexpr Limits other_time_limits = {.mean = 0.05, .most = 0.12};

std::string percent(double share) { return fixed(100 * share, 2) + " %"; }
std::string whole_percent(double share) { return fixed(100 * share, 0) + " %"; }

std::string limit_text(const Limits& limits) {
  const std::string most = "max " + whole_percent(limits.most);
  if (limits.mean) return "mean " + whole_percent(*limits.mean) + ", " + most;
  return "median " + whole_percent(*limits.median) + ", " + most;
}

bool keeps(const ErrorSummary& errors, const Limits& limits) {
  return (!limits.mean || errors.mean <= *limits.mean) && (!limits.median || errors.median <= *limits.median) &&
         errors.most <= limits.most;
}

std::string figures_text(const ErrorSummary& errors) {
  return "mean " + percent(errors.mean) + ", median " + percent(errors.median) + ", max " + percent(errors.most) +
         ", bias " + (errors.bias > 0 ? "+" : "") + percent(errors.bias) + " in " + std::to_string(errors.count) +
         (errors.count == 1 ? " row" : " rows");
}

void judge_together(const Limits& limits, const RowList& rows, Verdict& verdict) {
  verdict.limit = limit_text(limits);
  verdict.status = keeps(verdict.errors, limits) ? Status::kept : Status::missed;
  verdict.words = figures_text(verdict.errors);
  if (verdict.status == Status::missed) verdict.worst = worst_of(rows, worst_shown);
}

void judge_each(std::string limit, const RowList& rows, Verdict& verdict) {
  RowList beyond;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(beyond), [](const Row* row) { return !row->within; });
  verdict.limit = std::move(limit);
  verdict.status = beyond.empty() ? Status::kept : Status::missed;
  verdict.words = std::to_string(rows.size() - beyond.size()) + " of " + std::to_string(rows.size()) +
                  " rows within; " + figures_text(verdict.errors);
  verdict.worst = worst_of(std::move(beyond), worst_shown);
}

Verdict verdict_on(Metric metric, std::string split, std::string who, const RowList& rows) {
  Verdict verdict{.metric = metric, .split = std::move(split), .who = std::move(who), .errors = summary_of(rows)};
  switch (metric) {
    case Metric::tensors:
      judge_each("exact in every tensor", rows, verdict);
      break;
    case Metric::edge_read:
    case Metric::edge_write:
      judge_each("each within 0.1 % or 1 MiB (0.35 % where causal and ragged)", rows, verdict);
      break;
    case Metric::dram_read:
      judge_together(dram_read_limits, rows, verdict);
      break;
    case Metric::time:
      judge_together(verdict.who == other_kernels ? other_time_limits : own_time_limits, rows, verdict);
      break;
    default:
      verdict.limit = "none stated";
      verdict.words = figures_text(verdict.errors);
  }
  return verdict;
}

/// The role that a split is about.
Role judged_role(std::string_view split) {
  if (split == "none") return Role::unfitted;
  return split == "all" ? Role::fitted : Role::held_out;
}

void add_time_verdicts(const std::vector<Row>& rows, std::vector<Verdict>& verdicts) {
  for (const Split& split : splits()) {
    for (const std::string_view who : {own_kernels, other_kernels}) {
      RowList judged;
      for (const Row& row : rows) {
        const bool of_split = row.metric == Metric::time && row.split == split.word;
        if (of_split && row.role == judged_role(split.word) && group_of(row) == who) judged.push_back(&row);
      }
      if (judged.empty()) continue;
      verdicts.push_back(verdict_on(Metric::time, std::string(split.word), std::string(who), judged));
    }
  }
}

/// Splits in the order of their table, metrics without one first; roles, metrics and groups in theirs.
struct Key {
  std::size_t split = 0;
  Metric metric = Metric::time;
  Role role = Role::unfitted;
  std::size_t group = 0;
  auto operator<=>(const Key&) const = default;
};

std::size_t split_number(std::string_view word) {
  for (std::size_t i = 0; i < splits().size(); ++i) {
    if (splits()[i].word == word) return i + 1;
  }
  return 0;
}

Key key_of(const Row& row) {
  const auto* group = std::find(groups.begin(), groups.end(), group_of(row));
  return {split_number(row.split), row.metric, row.role, static_cast<std::size_t>(group - groups.begin())};
}

Summary summary_by(const Key& key, std::string who, bool group, const RowList& rows) {
  return {.split = rows.front()->split,
          .role = key.role,
          .metric = key.metric,
          .who = std::move(who),
          .group = group,
          .errors = summary_of(rows)};
}

}  // namespace

std::string_view group_of(const Row& row) {
  if (!row.own) return other_kernels;
  return ladder_of(row.kernel) ? ladder_rungs : own_kernels;
}

std::vector<Summary> summaries_of(const std::vector<Row>& rows) {
  std::map<Key, RowList> by_group;
  for (const Row& row : rows) by_group[key_of(row)].push_back(&row);
  std::vector<Summary> summaries;
  for (const auto& [key, together] : by_group) {
    summaries.push_back(summary_by(key, std::string(groups.at(key.group)), true, together));
    std::map<std::string, RowList> by_kernel;
    for (const Row* row : together) by_kernel[row->kernel].push_back(row);
    for (const auto& [kernel, own] : by_kernel) summaries.push_back(summary_by(key, kernel, false, own));
  }
  return summaries;
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kept:
      return "kept";
    case Status::missed:
      return "missed";
    case Status::no_limit:
      return "no limit";
  }
  return "";
}

std::vector<Verdict> verdicts_of(const std::vector<Row>& rows) {
  std::vector<Verdict> verdicts;
  for (const Metric metric : metrics) {
    if (metric == Metric::time) continue;
    RowList judged;
    for (const Row& row : rows) {
      if (row.metric == metric) judged.push_back(&row);
    }
    if (!judged.empty()) verdicts.push_back(verdict_on(metric, "", "all kernels", judged));
  }
  add_time_verdicts(rows, verdicts);
  return verdicts;
}

bool fails(const Verdict& verdict) { return verdict.metric == Metric::tensors && verdict.status == Status::missed; }

}  // namespace tilemeter::validation
