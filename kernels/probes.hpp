// The table of probes: what each measures, and how.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/probe_figure.hpp"

namespace tilemeter::kernels {

struct Probe {
  std::string_view name;
  std::string_view measures;  ///< a phrase
  std::string_view keys;      ///< what its figures' keys begin with, comma separated, without "probe."
  /// As in probe_functions.hpp; null in a build without CUDA.
  std::vector<Figure> (*run)(const ProbeSettings&) = nullptr;
};

/// All of them, in the order in which they run.
std::span<const Probe> probes();

/// The probe of that name. Throws InputError with the names there are.
const Probe& probe_named(std::string_view name);

/// Whether a figure of `key` is one of the probe's.
bool belongs_to(std::string_view key, const Probe& probe);

}  // namespace tilemeter::kernels
