#include "tools/sweep/ranks/help.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "tools/sweep/ranks/packet.hpp"

namespace tilemeter {
namespace {

using Clock = std::chrono::steady_clock;

// A thread brings back what it made about this often: a rank that dies loses no more, and messages cost little beside
// it.
constexpr std::chrono::duration<double> round_trip{0.02};
constexpr std::size_t most_points = 256;
constexpr std::chrono::microseconds answer_interval{200};

class Helper {
 public:
  Helper(Ranks& ranks, const std::function<std::string(std::size_t)>& make, const std::function<bool()>& stop)
      : ranks_(ranks), make_(make), stop_(stop) {}

  void work(int lane) {
    Request request{.wanted = 1};
    for (;;) {
      ranks_.send({0, lane, text_of(request)});
      if (request.wanted == 0) return;
      const std::vector<std::size_t> points = answer(lane);
      if (points.empty()) return;
      request = made_of(points);
    }
  }

  std::string error() const { return error_; }

 private:
  std::vector<std::size_t> answer(int lane) {
    for (;;) {
      if (const auto message = ranks_.receive(lane)) return points_in(message->text);
      std::this_thread::sleep_for(answer_interval);
    }
  }

  Request made_of(const std::vector<std::size_t>& points) {
    Request request;
    const auto start = Clock::now();
    try {
      for (const std::size_t point : points) {
        if (ends_ || stop_()) return request;
        request.made.emplace_back(point, make_(point));
      }
    } catch (const std::exception& error) {
      fail(error.what());
      return request;
    }
    const double each =
        std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(points.size());
    const double fit = round_trip.count() / std::max(each, round_trip.count() / most_points);
    request.wanted = std::max<std::size_t>(1, static_cast<std::size_t>(fit));
    return request;
  }

  void fail(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = message;
    ends_ = true;
  }

  Ranks& ranks_;
  const std::function<std::string(std::size_t)>& make_;
  const std::function<bool()>& stop_;
  std::mutex mutex_;
  std::string error_;
  std::atomic<bool> ends_ = false;
};

}  // namespace

void help(Ranks& ranks, std::size_t threads, const std::function<std::string(std::size_t)>& make,
          const std::function<bool()>& stop, const std::atomic<std::size_t>& failures) {
  Helper helper(ranks, make, stop);
  {
    std::vector<std::jthread> running;
    for (std::size_t i = 1; i <= std::max<std::size_t>(1, threads); ++i)
      running.emplace_back([&helper, lane = static_cast<int>(i)] { helper.work(lane); });
  }
  ranks.send({0, farewell_lane, text_of(Farewell{.failures = failures, .error = helper.error()})});
}

}  // namespace tilemeter
