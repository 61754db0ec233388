// Ranks of a sweep as threads of one process: what they tell each other, and that their work together is the whole.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "model/error.hpp"
#include "tests/support/catch.hpp"
#include "tools/sweep/pool.hpp"
#include "tools/sweep/ranks/agree.hpp"
#include "tools/sweep/ranks/alone.hpp"
#include "tools/sweep/ranks/help.hpp"
#include "tools/sweep/ranks/lead.hpp"

using namespace tilemeter;

namespace {

/// Letter boxes of all ranks.
struct Post {
  std::mutex mutex;
  std::map<std::size_t, std::deque<Message>> boxes;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Post& post, std::size_t rank, std::size_t size) : post_(post), rank_(rank), size_(size) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  void send(const Message& message) override {
    const std::lock_guard lock(post_.mutex);
    post_.boxes[message.rank].push_back({rank_, message.lane, message.text});
  }

  std::optional<Message> receive(std::optional<int> lane) override {
    const std::lock_guard lock(post_.mutex);
    std::deque<Message>& box = post_.boxes[rank_];
    for (auto i = box.begin(); i != box.end(); ++i) {
      if (lane && i->lane != *lane) continue;
      Message message = *i;
      box.erase(i);
      return message;
    }
    return std::nullopt;
  }

  std::vector<std::string> exchange(const std::string& text) override { return {text}; }

 private:
  Post& post_;
  std::size_t rank_;
  std::size_t size_;
};

/// One rank that hears what others are said to have.
class Hearing final : public Ranks {
 public:
  Hearing(std::size_t rank, std::vector<std::string> others) : rank_(rank), others_(std::move(others)) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return others_.size(); }
  void send(const Message&) override {}
  std::optional<Message> receive(std::optional<int>) override { return std::nullopt; }
  std::vector<std::string> exchange(const std::string& text) override {
    others_[rank_] = text;
    return others_;
  }

 private:
  std::size_t rank_;
  std::vector<std::string> others_;
};

constexpr std::size_t points = 9000;  // more than may wait for an earlier one

std::string text_of_point(std::size_t i) { return "row " + std::to_string(i) + "\n"; }

using MakePoint = std::function<std::string(std::size_t)>;

/// For a first rank that must not be done before the others have said something, on however busy a machine.
std::string slowly_made(std::size_t i) {
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  return text_of_point(i);
}

/// Runs `points` on three ranks; the others make what `make` says. Returns what rank 0 took, in the order of taking.
std::vector<std::string> run_on_three(Delivery delivery, const MakePoint& make, const std::function<bool()>& stop,
                                      std::atomic<std::size_t>& failures, const MakePoint& make_first = text_of_point) {
  Post post;
  std::vector<std::string> taken;
  std::vector<std::jthread> others;
  const std::atomic<std::size_t> failed_elsewhere = 2;
  for (std::size_t rank = 1; rank < 3; ++rank) {
    others.emplace_back([&, rank] {
      ThreadRank ranks(post, rank, 3);
      help(ranks, 2, make, stop, failed_elsewhere);
    });
  }
  ThreadRank ranks(post, 0, 3);
  Lead lead(ranks, failures);
  run_pool({.threads = 1, .delivery = delivery},
           {.count = points,
            .skip = [](std::size_t i) { return i % 10 == 3; },
            .make = make_first,
            .take = [&](std::size_t, std::string text) { taken.push_back(std::move(text)); },
            .progress = nullptr,
            .stop = nullptr,
            .serve = [&](SharedPoints& shared) { return lead.serve(shared); }});
  return taken;
}

}  // namespace

TEST_CASE("points made by several ranks come in order, each once") {
  std::atomic<std::size_t> failures = 1;
  std::atomic<std::size_t> elsewhere = 0;
  const auto make = [&](std::size_t i) {
    ++elsewhere;
    return text_of_point(i);
  };
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < points; ++i) {
    if (i % 10 != 3) expected.push_back(text_of_point(i));
  }
  CHECK(run_on_three(
            Delivery::in_order, make, [] { return false; }, failures, slowly_made) == expected);
  CHECK(failures == 5);
  CHECK(elsewhere > 0);
  std::vector<std::string> any = run_on_three(
      Delivery::as_finished, make, [] { return false; }, failures);
  std::sort(any.begin(), any.end());
  std::sort(expected.begin(), expected.end());
  CHECK(any == expected);
}

TEST_CASE("an error on another rank ends the sweep with its message and its rank") {
  std::atomic<std::size_t> failures = 0;
  const auto fail = [](std::size_t) -> std::string { throw std::runtime_error("no memory left"); };
  try {
    run_on_three(
        Delivery::in_order, fail, [] { return false; }, failures, slowly_made);
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    const std::string message = error.what();
    CHECK(message.find("rank ") == 0);
    CHECK(message.find(": no memory left") != std::string::npos);
  }
}

TEST_CASE("a rank that is told to stop stops the sweep, and what came in order before is kept") {
  std::atomic<std::size_t> failures = 0;
  const std::vector<std::string> taken = run_on_three(
      Delivery::in_order, text_of_point, [] { return true; }, failures, slowly_made);
  CHECK(taken.size() < points - points / 10);
  for (std::size_t i = 0; i < taken.size(); ++i) CHECK(taken[i] == text_of_point(i + (i + 6) / 9));
}

TEST_CASE("ranks go on only when all made the same") {
  const auto made = [] { return std::string("v1"); };
  const auto failing = []() -> std::string { throw InputError("--seq 0"); };
  Alone alone;
  CHECK(agree(alone, made));
  CHECK_THROWS_WITH(agree(alone, failing), "--seq 0");

  Hearing first(0, {"", "=v1", "=v2"});
  CHECK_THROWS_WITH(agree(first, made), "rank 2 has 'v2': expected what rank 0 has, 'v1'");
  Hearing failed(0, {"", "!no file", "!no file"});
  CHECK_THROWS_WITH(agree(failed, made), "rank 1: no file");
  Hearing other(1, {"=v1", "", "=v2"});
  CHECK_FALSE(agree(other, made));
  CHECK_FALSE(agree(other, failing));
  Hearing same(1, {"=v1", ""});
  CHECK(agree(same, made));
}

TEST_CASE("packets hold any text, and a torn one is refused") {
  const Request request{.wanted = 7, .made = {{3, "a b\n"}, {40, ""}, {5, "12 3 x"}}};
  const Request read = request_in(text_of(request));
  CHECK(read.wanted == 7);
  CHECK(read.made == request.made);
  CHECK(points_in(text_of(std::vector<std::size_t>{1, 20, 300})) == std::vector<std::size_t>{1, 20, 300});
  CHECK(points_in("").empty());
  CHECK(farewell_in(text_of(Farewell{.failures = 4, .error = "no room"})).error == "no room");
  CHECK_THROWS_AS(request_in("7 3 9 short"), std::runtime_error);
  CHECK_THROWS_AS(request_in("x"), std::runtime_error);
}
