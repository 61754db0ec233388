// An observation with what is predicted of its traffic, and its time on a device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/time/timed_point.hpp"
#include "tools/validate/row.hpp"

namespace tilemeter::validation {

/// What predicts bytes of device memory: the engine, where a point can be simulated, or the closed form alone.
enum class MemoryBy { engine, closed_form };

/// Bytes of device memory, and what predicts them.
struct PredictedMemory {
  Bytes read;
  Bytes write;
  std::string basis;
};

struct ValidatedPoint {
  Observation observation;
  PointResult result;     ///< counted, on the device as it was given
  std::string problem{};  ///< "N 4096, d 128, causal, B 4 H 16, bf16"
  Bytes edge_read{};      ///< predicted
  Bytes edge_write{};
  std::string edge_basis{};  ///< "ledger", "whole tiles", ...
  bool ragged_causal = false;
  std::optional<PreparedPoint> prepared{};  ///< absent where the device has no rate for the type
  std::string not_timed{};                  ///< why
  std::optional<PredictedMemory> memory{};  ///< where a profiler saw any
};

/// Counts `observation` on `device`, prepares its time, and simulates it where the profiler saw device memory. Throws
/// InputError for a request that cannot be counted.
ValidatedPoint validated_point(Observation observation, const std::shared_ptr<const Device>& device, MemoryBy by);

/// The time of the prepared point on a device that differs in its fitted figures alone, with those of `kernel`.
TimeEstimate timed_on(const ValidatedPoint& point, const Device& device, const std::string& kernel);

/// What the two simplest models say of the time of the point.
Baselines baselines_of(const ValidatedPoint& point);

/// The rows of everything that no fit touches: bytes.
std::vector<Row> traffic_rows(const ValidatedPoint& point, std::size_t index);

/// The row of a predicted time, without interval and split.
Row time_row(const ValidatedPoint& point, std::size_t index, const TimeEstimate& time);

/// Whether `measured` bytes at the edge of the SM are the `predicted` ones: within 0.1 % (0.35 % where causal and
/// ragged) or 1 MiB, whichever is more.
bool agrees_at_edge(double predicted, double measured, bool ragged_causal);

}  // namespace tilemeter::validation
