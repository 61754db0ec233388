// Times as JSON of the contract: "hbm", "time", and what `predict` and `simulate` add.
#pragma once

#include "tools/json.hpp"
#include "tools/time/timed_point.hpp"

namespace tilemeter {

/// {"matrix": "mma", ...}: every field of an execution, `clock_hz` as used.
Json execution_json(const TimedPoint& time);

/// Bytes of device memory in closed form: {"total", "read", "write", "left_in_l2", "source"}.
Json hbm_json(const TimedPoint& time);
/// The same by the engine.
Json hbm_json(const Simulated& simulated);

/// {"seconds", "low", "high", "binding", "roofline_seconds", "bounds": {...}, ...} of the closed form.
Json time_json(const PointResult& result, const TimedPoint& time);
/// The same with the seconds of the engine.
Json time_json(const PointResult& result, const TimedPoint& time, const Simulated& simulated);

/// The closed form by launches: waves, tails, imbalance, steps.
Json estimate_json(const TimedPoint& time);

/// What crosses each level, in closed form: edge of the SMs, L2, device memory.
Json levels_json(const PointResult& result, const TimedPoint& time);
/// The same by the engine.
Json levels_json(const Simulated& simulated);

/// Share of the blocks' time that each cause of waiting takes, and "working".
Json waits_json(const Simulated& simulated);

/// Launches by the engine.
Json launches_json(const Simulated& simulated);

/// Counters of every SM.
Json simulated_sms_json(const Simulated& simulated);

/// Every rate with its unit and where it comes from.
Json rates_json(const MachineRates& rates);

/// Adds "hbm" and "time" in closed form, of the default execution, to a point that was counted on a device. Where the
/// device has no rate for the type, "time" has the reason.
void add_closed_form_time(const PointResult& result, Json& point);

}  // namespace tilemeter
