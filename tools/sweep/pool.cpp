#include "tools/sweep/pool.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace tilemeter {
namespace {

constexpr std::size_t most_waiting = 4096;
constexpr std::chrono::milliseconds progress_interval{100};
constexpr std::chrono::microseconds serve_interval{500};

class Run final : public SharedPoints {
 public:
  Run(const Pool& pool, const PoolTask& task) : pool_(pool), task_(task) {}

  std::size_t operator()() {
    std::vector<std::jthread> threads;
    live_ = std::max<std::size_t>(1, pool_.threads);
    threads.reserve(live_);
    for (std::size_t i = live_; i > 0; --i) threads.emplace_back([this] { work(); });
    report_until_done();
    threads.clear();
    if (error_) std::rethrow_exception(error_);
    return taken_;
  }

  std::vector<std::size_t> claim(std::size_t most) override {
    std::vector<std::size_t> points;
    guarded([&] {
      std::size_t point = 0;
      while (points.size() < most && next(point) == Next::point) points.push_back(point);
    });
    return points;
  }

  bool over() override {
    bool none = true;
    guarded([&] { none = next_ >= task_.count || error_ || stopped_ || (task_.stop && task_.stop()); });
    return none;
  }

  void deliver(std::size_t point, std::string text) override {
    guarded([&] {
      if (!error_) take(point, std::move(text), Passed::no);
    });
  }

  void stop() override {
    guarded([&] { stopped_ = true; });
  }

  void fail(std::exception_ptr error) override {
    guarded([&] {
      if (!error_) error_ = std::move(error);
    });
  }

 private:
  /// Does `action` with the lock held; what it throws ends the run.
  void guarded(const std::function<void()>& action) {
    const std::lock_guard lock(mutex_);
    try {
      action();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
  }

  enum class Next { point, later, none };

  /// The next point to make, with the lock held.
  Next next(std::size_t& point) {
    while (next_ < task_.count && task_.skip && task_.skip(next_)) pass(next_++);
    if (next_ >= task_.count || error_ || stopped_ || (task_.stop && task_.stop())) return Next::none;
    if (pool_.delivery == Delivery::in_order && next_ - due_ >= most_waiting) return Next::later;
    point = next_++;
    return Next::point;
  }

  /// Waits for the next point; false when there is none or the run ends.
  bool wait_for_next(std::size_t& point) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const Next found = next(point);
      if (found != Next::later) return found == Next::point;
      changed_.wait_for(lock, progress_interval);
    }
  }

  /// A point that needs no making; earlier ones may still be under way.
  void pass(std::size_t point) {
    if (pool_.delivery == Delivery::in_order) take(point, {}, Passed::yes);
  }

  void work() {
    try {
      for (std::size_t point = 0; wait_for_next(point);) {
        std::string text = task_.make(point);
        const std::lock_guard lock(mutex_);
        if (error_) break;
        take(point, std::move(text), Passed::no);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --live_;
    changed_.notify_all();
  }

  enum class Passed { no, yes };
  struct Waiting {
    std::string text;
    Passed passed = Passed::no;
  };

  void take(std::size_t point, std::string text, Passed passed) {
    if (pool_.delivery == Delivery::as_finished) {
      task_.take(point, std::move(text));
      ++taken_;
      return;
    }
    waiting_[point] = {std::move(text), passed};
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == due_; ++due_) {
      if (first->second.passed == Passed::no) {
        task_.take(due_, std::move(first->second.text));
        ++taken_;
      }
      first = waiting_.erase(first);
    }
    changed_.notify_all();
  }

  void report_until_done() {
    bool others = task_.serve != nullptr;
    auto shown = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (live_ > 0 || others) {
      if (live_ > 0 && !others) changed_.wait_for(lock, progress_interval, [this] { return live_ == 0; });
      const std::size_t done = taken_;
      lock.unlock();
      if (others) {
        others = !task_.serve(*this);
        std::this_thread::sleep_for(serve_interval);
      }
      const auto now = std::chrono::steady_clock::now();
      if (task_.progress && (!others || now - shown >= progress_interval)) {
        task_.progress(done);
        shown = now;
      }
      lock.lock();
    }
  }

  const Pool& pool_;
  const PoolTask& task_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, Waiting> waiting_;
  std::exception_ptr error_;
  std::size_t next_ = 0;
  std::size_t due_ = 0;
  std::size_t taken_ = 0;
  std::size_t live_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::size_t run_pool(const Pool& pool, const PoolTask& task) { return Run(pool, task)(); }

std::size_t default_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace tilemeter
