#include "tools/probe/run.hpp"

#include <algorithm>
#include <memory>

#include "kernels/nvml.hpp"

namespace tilemeter {
namespace {

/// Clocks while a probe runs; nothing without NVML, which figures do not depend on.
std::unique_ptr<kernels::ClockSampler> sampler_of(const kernels::GpuInfo& gpu) {
  try {
    return std::make_unique<kernels::ClockSampler>(kernels::Nvml(gpu.bus_id));
  } catch (const kernels::NvmlError&) {
    return nullptr;
  }
}

void add_clock(std::vector<kernels::Figure>& figures, kernels::ClockSampler& sampler) {
  const kernels::ClockSummary clocks = kernels::summarise_clocks(sampler.stop());
  if (!clocks.sm_hertz) return;
  for (kernels::Figure& figure : figures) {
    if (!figure.clock) figure.clock = Hertz{*clocks.sm_hertz};
  }
}

}  // namespace

ProbeOutcome run_probe(const kernels::Probe& probe, const kernels::ProbeSettings& settings) {
  ProbeOutcome outcome{.probe = &probe};
  const auto sampler = sampler_of(settings.gpu);
  try {
    outcome.figures = probe.run(settings);
    if (sampler) add_clock(outcome.figures, *sampler);
  } catch (const kernels::ProbeUnavailable& reason) {
    outcome.unavailable = reason.what();
  } catch (const kernels::ProbeWrong& wrong) {
    outcome.failure = wrong.what();
  }
  return outcome;
}

const kernels::Figure* find_figure(const ProbeRun& run, std::string_view key) {
  for (const ProbeOutcome& outcome : run.outcomes) {
    for (const kernels::Figure& figure : outcome.figures) {
      if (figure.key == key) return &figure;
    }
  }
  return nullptr;
}

}  // namespace tilemeter
