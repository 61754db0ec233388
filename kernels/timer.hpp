// Times launches: warm-up, an L2 that is empty or warm, events around single launches, batches or graph replays.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "kernels/buffer.hpp"
#include "kernels/tensors.hpp"
#include "traces/timing.hpp"

namespace tilemeter::kernels {

/// Enqueues work on a stream and returns; throws where that fails.
using Launch = std::function<void(Stream)>;

/// Asks the driver for clock and power; Seconds since the measurement began are the timer's to fill in.
using ReadClocks = std::function<ClockReading()>;

/// Work that can be timed.
struct TimedWork {
  Launch launch;
  Launch prepare = nullptr;  ///< before every sample, not timed; null when there is nothing to prepare
};

/// A CUDA event that owns itself.
class Event {
 public:
  Event() { TILEMETER_CHECK(cudaEventCreate(&event_)); }
  ~Event() { TILEMETER_REPORT(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(Stream stream) { TILEMETER_CHECK(cudaEventRecord(event_, stream)); }
  void wait() const { TILEMETER_CHECK(cudaEventSynchronize(event_)); }
  /// Time from `start` to this event; both have passed.
  Seconds since(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Times launches on the current device, on a stream of its own. Every method waits for the GPU before it returns and
/// throws CudaError when a call or a launch failed.
class Timer {
 public:
  /// Launches from this time on are timed one by one; shorter ones in a warm L2 by graph replays, or in batches where
  /// the work cannot be captured.
  static constexpr Seconds single_from{50e-6};
  static constexpr Count least_warmup_launches = 3;
  static constexpr Seconds warmup_time{0.2};
  static constexpr Bytes least_flush{Count{256} << 20};
  static constexpr Count default_samples = 30;

  /// Without `read_clocks` there are no readings. Allocates the scratch buffer: the larger of 256 MiB and twice the L2.
  explicit Timer(ReadClocks read_clocks = nullptr);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  Bytes l2_size() const { return l2_; }
  Bytes flush_size() const { return Bytes(static_cast<Count>(scratch_.bytes())); }
  Stream stream() const { return stream_; }

  /// At least 3 launches and 0.2 s of them. Returns the time of one, the fixed cost of a launch included.
  Seconds warm_up(const TimedWork& work);

  /// Warms up and takes `samples` samples. Cold: the scratch buffer is written and read through before each, so that
  /// the L2 holds neither the launch's data nor dirty lines; the events enclose one launch. While heat or protection
  /// hold the clock down, samples are discarded, and at most `samples` further ones are tried.
  TimedSamples sample(const TimedWork& work, CacheState cache, Count samples = default_samples);

  /// Launches back to back for at least `duration` after the warm-up. One sample, and one reading, for every
  /// `sustained_chunk`; the first quarter, in which the clock settles, is left out.
  TimedSamples sustain(const TimedWork& work, Seconds duration);
  static constexpr Seconds sustained_chunk{0.02};

  /// Enqueues the work once, with nothing beside it, between the marks that `ncu --profile-from-start off` waits for.
  /// Returns the number of kernels in it.
  Count profile(const TimedWork& work);

  /// What the protocol gives for a kernel that does nothing: the share of a short time that is not the kernel's.
  Seconds empty_launch(CacheState cache);

 private:
  class Repeated;

  void flush_l2();
  void prepare(const TimedWork& work);
  ClockReading reading() const;
  Seconds timed(const Launch& enqueue);
  Seconds cold_sample(const TimedWork& work);
  Seconds warm_sample(const TimedWork& work, Repeated& launches);

  ReadClocks read_clocks_;
  Bytes l2_;
  Stream stream_ = nullptr;
  Buffer<unsigned> scratch_;
  Buffer<unsigned> sink_;
  double began_ = 0;
};

}  // namespace tilemeter::kernels
