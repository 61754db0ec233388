// Clocks, power and the driver's version, from NVIDIA's management library. It is opened at run time, so that nothing
// links it and programs start without it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kernels/clock_samples.hpp"

namespace tilemeter::kernels {

/// The library is missing, or a call that is needed failed. The message says which and why, in one line.
class NvmlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The management library, and one GPU in it.
class Nvml {
 public:
  static constexpr const char* default_library = "libnvidia-ml.so.1";

  /// The GPU at `bus_id`, as cudaDeviceGetPCIBusId writes it (`GpuInfo::bus_id`). Throws NvmlError.
  explicit Nvml(const std::string& bus_id, const std::string& library = default_library);

  /// "580.159.04". Throws NvmlError.
  std::string driver() const;
  /// The GPU now; `seconds` is 0. What the GPU refuses to tell is absent.
  ClockSample sample() const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  void* device_ = nullptr;
};

/// Samples a GPU in a thread, from construction until `stop` or destruction.
class ClockSampler {
 public:
  explicit ClockSampler(Nvml nvml, std::chrono::milliseconds period = std::chrono::milliseconds(10));
  ~ClockSampler();
  ClockSampler(const ClockSampler&) = delete;
  ClockSampler& operator=(const ClockSampler&) = delete;

  /// Ends the sampling and gives the samples: at least one.
  std::vector<ClockSample> stop();

 private:
  void run();

  Nvml nvml_;
  std::chrono::milliseconds period_;
  std::vector<ClockSample> samples_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tilemeter::kernels
