// Points evaluated by several threads, handed over in order or as they finish.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace tilemeter {

enum class Delivery { in_order, as_finished };

struct Pool {
  std::size_t threads = 1;
  Delivery delivery = Delivery::in_order;
};

/// The points of a running pool, for other processes that make some of them.
class SharedPoints {
 public:
  virtual ~SharedPoints() = default;

  /// At most `most` points to make. None when there are no more, and while earlier ones must be finished first.
  virtual std::vector<std::size_t> claim(std::size_t most) = 0;
  /// Whether nothing more can be claimed.
  virtual bool over() = 0;
  virtual void deliver(std::size_t point, std::string text) = 0;
  /// Gives out no more points.
  virtual void stop() = 0;
  /// Ends the run with this error.
  virtual void fail(std::exception_ptr error) = 0;
};

/// What a pool does with the points 0 ... count - 1.
struct PoolTask {
  std::size_t count = 0;
  std::function<bool(std::size_t)> skip;               ///< points that are done already
  std::function<std::string(std::size_t)> make;        ///< called by many threads
  std::function<void(std::size_t, std::string)> take;  ///< called by one thread at a time
  std::function<void(std::size_t done)> progress;      ///< called now and then by the calling thread
  std::function<bool()> stop;                          ///< asked before each point
  /// Lets other processes claim and deliver; true when they are done. Called often by the calling thread, never after
  /// an answer of true. Absent where there are none.
  std::function<bool(SharedPoints&)> serve = nullptr;
};

/// Runs the task; returns how many points it made and took. The first exception of `make` or `take` ends the run and is
/// thrown again here. In order: at most a few thousand points wait for an earlier one.
std::size_t run_pool(const Pool& pool, const PoolTask& task);

/// The number of threads when none is asked for: the processors that this process may use.
std::size_t default_threads();

}  // namespace tilemeter
