// The probes, by quantity. Each returns the figures of its keys; throws ProbeWrong when a result is not what the
// measured instructions must give, ProbeUnavailable when the GPU lacks what is measured, CudaError when a call failed.
#pragma once

#include <vector>

#include "kernels/probe_figure.hpp"

namespace tilemeter::kernels {

std::vector<Figure> probe_hbm(const ProbeSettings& settings);
std::vector<Figure> probe_in_flight(const ProbeSettings& settings);
std::vector<Figure> probe_l2(const ProbeSettings& settings);
std::vector<Figure> probe_latency(const ProbeSettings& settings);
std::vector<Figure> probe_shared(const ProbeSettings& settings);
std::vector<Figure> probe_mma(const ProbeSettings& settings);
std::vector<Figure> probe_wgmma(const ProbeSettings& settings);
std::vector<Figure> probe_scalar(const ProbeSettings& settings);
std::vector<Figure> probe_overlap(const ProbeSettings& settings);
std::vector<Figure> probe_barrier(const ProbeSettings& settings);
std::vector<Figure> probe_launch(const ProbeSettings& settings);
std::vector<Figure> probe_atomic(const ProbeSettings& settings);
std::vector<Figure> probe_clock(const ProbeSettings& settings);

}  // namespace tilemeter::kernels
