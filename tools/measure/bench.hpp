// The GPU at work: gate, counters and times of planned points.
#pragma once

#include <memory>

#include "tools/measure/measurement.hpp"

namespace tilemeter {

/// What is measured, and how often.
struct MeasureOptions {
  bool cold = true;
  bool warm = true;
  bool sustained = false;
  bool profile = false;  ///< one launch for a profiler, and no times
  Count samples = 30;
  std::uint64_t seed = 1;
};

/// The current GPU, ready to measure.
class Bench {
 public:
  /// Throws InputError where there is no GPU, or where the program was built without CUDA.
  explicit Bench(const MeasureOptions& options);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// The GPU, the flush, and what an empty launch takes; the rest is the caller's.
  MeasureSetting setting() const;

  /// Runs a point that is not refused: fills gate, counters and times, or the failure that stops it. Throws InputError
  /// when the GPU has not enough memory.
  void run(Measurement& measurement, const std::optional<Device>& device);

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace tilemeter
