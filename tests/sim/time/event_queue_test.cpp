// The calendar of events against a sorted list.
#include "sim/time/event_queue.hpp"

#include <map>
#include <random>

#include "tests/support/catch.hpp"

using namespace tilemeter;

TEST_CASE("events come by time, and at the same time in the order of their making") {
  // Mixed distances: the same time, the same bucket, the calendar, far beyond it.
  constexpr Picoseconds distances[] = {0, 100, 5000, 3'000'000, 500'000'000};
  std::mt19937_64 random(20261130);
  EventQueue queue;
  std::multimap<Picoseconds, std::uint32_t> expected;
  Picoseconds now = 0;
  std::uint32_t made = 0;
  for (int step = 0; step < 200000; ++step) {
    if (!expected.empty() && random() % 2 == 0) {
      REQUIRE(queue.next() == expected.begin()->first);
      const Event event = queue.pop();
      REQUIRE(event.time == expected.begin()->first);
      REQUIRE(event.worker == expected.begin()->second);
      expected.erase(expected.begin());
      now = event.time;
    } else {
      const Picoseconds distance = distances[random() % 5];
      const Event event = {
          .time = now + static_cast<Picoseconds>(random() % (1 + static_cast<std::uint64_t>(distance))),
          .worker = made++ % EventQueue::most_workers};
      queue.push(event);
      expected.emplace(event.time, event.worker);
    }
  }
  while (!expected.empty()) {
    REQUIRE(queue.pop().worker == expected.begin()->second);
    expected.erase(expected.begin());
  }
  CHECK(queue.next() == never);
}
