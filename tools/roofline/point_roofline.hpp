// One counted point under a roofline, as JSON.
#pragma once

#include "tools/json.hpp"
#include "tools/roofline/options.hpp"

namespace tilemeter::roofline {

/// What a counted point costs: the FLOPs of its visited tiles, its compulsory bytes at device memory, its counted bytes
/// at the L2.
Cost cost_of(const PointResult& result);

/// {"math_dtype", "flops", "hbm_bytes" (compulsory), "sm_edge_bytes", intensities, ridges, "attainable_share_of_peak",
/// bounds in seconds, "binding"}; masked attention adds "conventions", the FLOPs by other ways to count them. `point`
/// is the point's JSON.
Json point_roofline(const PointResult& result, const Json& point, const Rooflines& rooflines);

}  // namespace tilemeter::roofline
