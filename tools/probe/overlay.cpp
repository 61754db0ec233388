#include "tools/probe/overlay.hpp"

#include <algorithm>
#include <cmath>

#include "model/quantity.hpp"
#include "tools/output/overlay.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

using kernels::Figure;

double share_of(const Figure& figure) { return figure.half_width95 / std::abs(figure.value); }

class Overlay {
 public:
  Overlay(const ProbeRun& run, const Device& base) : run_(run), base_(base) {}

  std::vector<DeviceFact> data() {
    add_bandwidths();
    add_rates();
    for (const ProbeOutcome& outcome : run_.outcomes) {
      for (const Figure& figure : outcome.figures) add_figure(figure);
    }
    return std::move(data_);
  }

 private:
  const Figure* find(std::string_view key) const { return find_figure(run_, key); }

  /// The figure with the largest value of those whose keys begin so, or nullptr.
  const Figure* largest(std::string_view beginning) const {
    const Figure* found = nullptr;
    for (const ProbeOutcome& outcome : run_.outcomes) {
      for (const Figure& figure : outcome.figures) {
        if (figure.key.rfind(beginning, 0) != 0) continue;
        if (found == nullptr || figure.value > found->value) found = &figure;
      }
    }
    return found;
  }

  Provenance provenance(double share, const std::optional<Hertz>& clock) const {
    return {.interval = interval_text(share),
            .clock = clock ? to_text(*clock) : "",
            .date = run_.date,
            .command = run_.command};
  }

  std::string source(const std::string& what) const {
    return what + "tilemeter " + std::string(program_version) + " of commit " + run_.commit + " on " + run_.gpu.name +
           ", driver " + run_.gpu.driver + ", CUDA " + run_.gpu.toolkit;
  }

  void add(const std::string& key, const std::string& value, const std::string& what, double share,
           const std::optional<Hertz>& clock) {
    data_.push_back({key, value, source(what), provenance(share, clock)});
  }

  void add_figure(const Figure& figure) {
    const std::string note = figure.note.empty() ? "" : figure.note + "; ";
    add(figure.key, probe_text(find_probe_key(figure.key)->unit, figure.value), note, share_of(figure), figure.clock);
  }

  /// The roof of device memory is its fastest use; what was measured is sustained as it is.
  void add_bandwidths() {
    if (const Figure* l2 = find("probe.l2.read")) {
      add("l2.bandwidth", to_text(BytesPerSecond{l2->value}), l2->key + "; ", share_of(*l2), l2->clock);
    }
    const Figure* best = nullptr;
    for (const std::string_view key : {"probe.hbm.read", "probe.hbm.write", "probe.hbm.copy"}) {
      const Figure* figure = find(key);
      if (figure != nullptr && (best == nullptr || figure->value > best->value)) best = figure;
    }
    if (best == nullptr) return;
    add("hbm.bandwidth", to_text(BytesPerSecond{best->value}), best->key + "; ", share_of(*best), best->clock);
    add("hbm.sustained", "100 %", "hbm.bandwidth is what is sustained; ", share_of(*best), best->clock);
  }

  /// Operations per clock and SM to those of the GPU at `clock`; `each` operations count as one of the figure's.
  void add_rate(ComputeUnit unit, DType type, const Figure* figure, double each, Hertz clock, double clock_share) {
    if (figure == nullptr) return;
    const OpsPerSecond rate{each * figure->value * static_cast<double>(run_.gpu.sm_count) * clock.value};
    const std::string text = unit == ComputeUnit::exp ? operations_text(rate) : flops_text(rate);
    add(rate_key(unit, type), text, figure->key + " at " + to_text(clock) + "; ",
        std::hypot(share_of(*figure), clock_share), clock);
  }

  /// Matrix rates at the clock that the fastest matrix instruction leaves, the others at the highest.
  void add_rates() {
    const bool asynchronous = largest("probe.wgmma.bf16.") != nullptr;
    const Figure* clock = find(asynchronous ? "probe.clock.wgmma" : "probe.clock.mma");
    if (clock != nullptr && largest("probe.mma.") != nullptr) {
      add("clock.tensor", to_text(Hertz{clock->value}), clock->key + "; ", share_of(*clock), clock->clock);
    }
    for (const DType type : {DType::fp16, DType::bf16}) {
      const std::string name(name_of(type));
      const Hertz at = clock != nullptr ? Hertz{clock->value} : base_.rate_clock(ComputeUnit::tensor, type);
      const double share = clock != nullptr ? share_of(*clock) : 0;
      const Figure* mma = find("probe.mma." + name);
      add_rate(ComputeUnit::tensor, type, asynchronous ? largest("probe.wgmma." + name + ".") : mma, 1, at, share);
      if (asynchronous) add_rate(ComputeUnit::mma, type, mma, 1, at, share);
    }
    add_rate(ComputeUnit::fma, DType::fp32, find("probe.fma.fp32"), 2, base_.clock.boost, 0);
    add_rate(ComputeUnit::exp, DType::fp32, find("probe.exp.fp32"), 1, base_.clock.boost, 0);
  }

  const ProbeRun& run_;
  const Device& base_;
  std::vector<DeviceFact> data_;
};

}  // namespace

std::string overlay_text(const ProbeRun& run, const Device& base) {
  const std::string title =
      "Measured rates of " + run.gpu.name + ": an overlay of the shipped device `" + base.name + "`, read by --device.";
  return overlay_document(title, base.name, Overlay(run, base).data());
}

}  // namespace tilemeter
