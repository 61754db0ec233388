// An observation with what is predicted of its traffic, and its time on a device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/time/timed_point.hpp"
#include "tools/validate/row.hpp"

namespace tilemeter::validation {

struct ValidatedPoint {
  Observation observation;
  PointResult result;     ///< counted, on the device as it was given
  std::string problem{};  ///< "N 4096, d 128, causal, batch 4 x 16 heads, bf16"
  Bytes edge_read{};      ///< predicted
  Bytes edge_write{};
  std::string edge_basis{};  ///< "ledger" or "whole tiles"
  bool ragged_causal = false;
  std::optional<TimedPoint> timed{};  ///< on the device as it was given; absent where it has no rate
  std::string not_timed{};            ///< why
};

/// Counts `observation` on `device` and estimates its time. Throws InputError for a request that cannot be counted.
ValidatedPoint validated_point(Observation observation, const std::shared_ptr<const Device>& device);

/// The time of the point on another `device`, with the fitted figures of `kernel`. Throws as `timed`.
TimedPoint timed_on(const ValidatedPoint& point, const std::shared_ptr<const Device>& device,
                    const std::string& kernel);

/// What the two simplest models say of the time of the point.
Baselines baselines_of(const ValidatedPoint& point);

/// The rows of everything that no fit touches: bytes.
std::vector<Row> traffic_rows(const ValidatedPoint& point, std::size_t index);

/// The row of a predicted time, without interval and split.
Row time_row(const ValidatedPoint& point, std::size_t index, const TimedPoint& time);

/// Whether `measured` bytes at the edge of the SM are the `predicted` ones: within 0.1 % (0.35 % where causal and
/// ragged) or 1 MiB, whichever is more.
bool agrees_at_edge(double predicted, double measured, bool ragged_causal);

}  // namespace tilemeter::validation
