// One figure, predicted and measured.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "model/time_bounds.hpp"
#include "tools/validate/observation.hpp"

namespace tilemeter::validation {

/// What is compared: bytes per tensor by a kernel's own counters, bytes that a profiler saw at each level, and time.
enum class Metric { tensors, edge_read, edge_write, l2_read, l2_write, dram_read, dram_write, time };
inline constexpr std::array<Metric, 8> metrics = {Metric::tensors,    Metric::edge_read, Metric::edge_write,
                                                  Metric::l2_read,    Metric::l2_write,  Metric::dram_read,
                                                  Metric::dram_write, Metric::time};
std::string_view name_of(Metric metric);

/// What a row has to do with a fit: none was made for it, it was among the fitted, or it was held out.
enum class Role { unfitted, fitted, held_out };
std::string_view name_of(Role role);

/// A time without the model: the larger of FLOPs over the peak and bytes over the bandwidth of device memory.
struct Baselines {
  std::optional<double> roofline;   ///< s, with compulsory bytes
  std::optional<double> two_level;  ///< s, with all bytes of the edge of the SMs, as if there were no L2
};

/// What a predicted time is made of, in seconds.
struct TimeParts {
  TimeBounds bounds;  ///< each resource alone
  double floor = 0;   ///< launches alone
};

struct Row {
  std::string source;
  std::string kernel;
  std::string problem;  ///< sizes and type, for people
  bool own = false;
  Metric metric = Metric::time;
  std::string split;  ///< empty for metrics that no fit touches
  Role role = Role::unfitted;
  double measured = 0;          ///< bytes or seconds
  double predicted = 0;         ///< likewise
  std::optional<double> low{};  ///< of the interval that the fit states
  std::optional<double> high{};
  bool within = true;     ///< the limit of a single row, where the metric has one
  std::string basis{};    ///< what the prediction is: "ledger", "whole tiles", ...
  std::string detail{};   ///< the first tensor that differs, or what is known of a difference
  Baselines baselines{};  ///< of times
  std::optional<TimeParts> parts{};
  std::size_t point = 0;  ///< index of its observation

  /// predicted / measured - 1; of nothing measured 0 where nothing was predicted, else infinite.
  double error() const { return error_of(predicted); }
  double error_of(double figure) const {
    if (measured != 0) return figure / measured - 1;
    return figure == 0 ? 0 : INFINITY;
  }
  std::optional<bool> inside() const {
    if (!low || !high) return std::nullopt;
    return *low <= measured && measured <= *high;
  }
};

}  // namespace tilemeter::validation
