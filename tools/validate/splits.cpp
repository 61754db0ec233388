#include "tools/validate/splits.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sim/catalog.hpp"
#include "tools/options/text.hpp"

namespace tilemeter::validation {
namespace {

constexpr Count longest_fitted = 1024;
constexpr Count fitted_head_dim = 128;

constexpr std::array all_splits = {
    Split{SplitName::none, "none", "nothing is fitted: data sheet and probes predict every time"},
    Split{SplitName::all, "all", "every kernel is fitted to all of its times: errors of the fit, not of a prediction"},
    Split{SplitName::length, "length", "fitted where N <= 1024; longer ones predicted"},
    Split{SplitName::dim, "dim", "fitted where d = 128; other head dimensions predicted"},
    Split{SplitName::mask, "mask", "fitted without a mask; masked ones predicted"},
    Split{SplitName::kernel, "kernel",
          "this project's kernels are fitted; others are predicted with the figures of the kernel that has their "
          "algorithm and matrix path, times one constant from the shortest half of their times; the rest predicted"},
};

bool has_lengths(const ValidatedPoint& point) { return has_sequences(point.result.request.algorithm->computation()); }

/// The side of a point of this project's or another's kernel, by its sizes alone.
std::optional<Role> side_of(SplitName split, const ValidatedPoint& point) {
  const Problem& problem = point.result.problem;
  const auto fitted_if = [](bool fitted) { return fitted ? Role::fitted : Role::held_out; };
  if (split == SplitName::none) return Role::unfitted;
  if (split == SplitName::all) return Role::fitted;
  if (!has_lengths(point)) return std::nullopt;
  switch (split) {
    case SplitName::length:
      return fitted_if(std::max(problem.seq_q, problem.seq_k) <= longest_fitted);
    case SplitName::dim:
      return fitted_if(problem.head_dim == fitted_head_dim);
    default:
      return fitted_if(problem.mask.kind == MaskKind::none);
  }
}

/// Of each kernel of others the shortest half of its times is fitted; of a single one nothing can be held out.
void part_by_time(const std::vector<ValidatedPoint>& points, std::vector<std::optional<Role>>& roles) {
  std::map<std::string, std::vector<std::size_t>> by_kernel;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (roles[i]) by_kernel[points[i].observation.kernel].push_back(i);
  }
  for (auto& [kernel, indices] : by_kernel) {
    if (points[indices.front()].observation.own) continue;
    std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return points[a].observation.time->seconds < points[b].observation.time->seconds;
    });
    const std::size_t half = (indices.size() + 1) / 2;
    for (std::size_t i = 0; i < indices.size(); ++i) roles[indices[i]] = i < half ? Role::fitted : Role::held_out;
    if (indices.size() == 1) roles[indices.front()] = std::nullopt;
  }
}

/// Leaves out kernels of which nothing is fitted: nothing is known of them to predict with.
void leave_out_unknown(const std::vector<ValidatedPoint>& points, std::vector<std::optional<Role>>& roles) {
  std::set<std::string> known;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (roles[i] == Role::fitted) known.insert(points[i].observation.kernel);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (roles[i] != Role::held_out) continue;
    const std::string& kernel = points[i].observation.kernel;
    if (!known.contains(ladder_of(kernel).value_or(kernel))) roles[i] = std::nullopt;
  }
}

}  // namespace

std::span<const Split> splits() { return all_splits; }

const Split& find_split(std::string_view word) {
  std::vector<std::string_view> words;
  for (const Split& split : all_splits) {
    if (split.word == word) return split;
    words.push_back(split.word);
  }
  refuse_word("--split", word, words);
}

std::optional<std::string> ladder_of(std::string_view kernel) {
  const std::size_t rung = kernel.find("_rung");
  if (rung == std::string_view::npos) return std::nullopt;
  return std::string(kernel.substr(0, rung));
}

std::vector<std::optional<Role>> roles_of(const Split& split, const std::vector<ValidatedPoint>& points) {
  std::vector<std::optional<Role>> roles(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].observation.time || !points[i].prepared) continue;
    roles[i] = split.name == SplitName::kernel ? std::optional(Role::fitted) : side_of(split.name, points[i]);
    if (ladder_of(points[i].observation.kernel) && split.name != SplitName::none && roles[i]) {
      roles[i] = Role::held_out;
    }
  }
  if (split.name == SplitName::kernel) part_by_time(points, roles);
  if (split.name != SplitName::none) leave_out_unknown(points, roles);
  return roles;
}

}  // namespace tilemeter::validation
