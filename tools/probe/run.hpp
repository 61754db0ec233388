// The probes of one run and what they found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/probes.hpp"

namespace tilemeter {

/// One probe: its figures, or why there are none.
struct ProbeOutcome {
  const kernels::Probe* probe = nullptr;
  std::vector<kernels::Figure> figures{};
  std::optional<std::string> unavailable{};  ///< the GPU lacks what is measured
  std::optional<std::string> failure{};      ///< a result was wrong
};

struct ProbeRun {
  kernels::GpuInfo gpu;
  std::string date;     ///< UTC, "2025-01-31T12:00:00Z"
  std::string command;  ///< the command line
  std::string commit;   ///< of the sources, or "unknown"
  std::vector<ProbeOutcome> outcomes;
};

/// Runs one probe. Figures without a clock of their own get the mean that the driver told meanwhile, if it did. Throws
/// CudaError when a call failed.
ProbeOutcome run_probe(const kernels::Probe& probe, const kernels::ProbeSettings& settings);

/// The figure of a key, or nullptr.
const kernels::Figure* find_figure(const ProbeRun& run, std::string_view key);

}  // namespace tilemeter
