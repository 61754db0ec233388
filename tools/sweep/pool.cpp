#include "tools/sweep/pool.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace tilemeter {
namespace {

constexpr std::size_t most_waiting = 4096;
constexpr std::chrono::milliseconds progress_interval{100};

class Run {
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

 private:
  /// The next point to make; nothing when there is none or the run ends.
  bool claim(std::size_t& point) {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (next_ < task_.count && task_.skip && task_.skip(next_)) pass(next_++);
      if (next_ >= task_.count || error_ || (task_.stop && task_.stop())) return false;
      if (pool_.delivery == Delivery::as_finished || next_ - due_ < most_waiting) break;
      changed_.wait_for(lock, progress_interval);
    }
    point = next_++;
    return true;
  }

  /// A point that needs no making; earlier ones may still be under way.
  void pass(std::size_t point) {
    if (pool_.delivery == Delivery::in_order) deliver(point, {}, Passed::yes);
  }

  void work() {
    try {
      for (std::size_t point = 0; claim(point);) {
        std::string text = task_.make(point);
        const std::lock_guard lock(mutex_);
        if (error_) break;
        deliver(point, std::move(text), Passed::no);
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

  void deliver(std::size_t point, std::string text, Passed passed) {
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
    std::unique_lock lock(mutex_);
    while (live_ > 0) {
      changed_.wait_for(lock, progress_interval, [this] { return live_ == 0; });
      const std::size_t done = taken_;
      lock.unlock();
      if (task_.progress) task_.progress(done);
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
};

}  // namespace

std::size_t run_pool(const Pool& pool, const PoolTask& task) { return Run(pool, task)(); }

std::size_t default_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace tilemeter
