// What happens next: events by time, and in the order of their making at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/time/transfers.hpp"

namespace tilemeter {

/// An op of a resident block that can start, or the end of the block.
struct Event {
  Picoseconds time = 0;
  std::uint32_t worker = 0;  ///< the resident block
  std::uint32_t slot = 0;    ///< of its window; `block_end` for the end
};
inline constexpr std::uint32_t block_end = 64;

/// A calendar: buckets of 2 ns for the 8 us to come, each a list in order, and a heap for what is later. O(1) an event.
class EventQueue {
 public:
  EventQueue();
  /// `event.time` is not before that of the last event that was taken.
  void push(const Event& event);
  Picoseconds next() const { return front_; }
  Event pop();

  static constexpr std::uint32_t most_workers = 1u << 20;

 private:
  static constexpr int bucket_bits = 11;  ///< of picoseconds
  static constexpr std::size_t buckets = 4096;
  static constexpr std::size_t word = 64;
  struct Node {
    Picoseconds time = 0;
    std::uint64_t order = 0;
    std::uint32_t worker = 0;
    std::uint32_t slot = 0;
    int next = -1;
  };
  struct Bucket {
    int first = -1;
    int last = -1;
  };
  /// Whether node a comes after node b.
  bool later(int a, int b) const;
  void file(int node);
  /// Moves what was late into the calendar as far as its days have come near.
  void file_late();
  void find_front();

  std::vector<Node> nodes_;
  std::vector<int> free_;
  std::array<Bucket, buckets> buckets_{};
  std::array<std::uint64_t, buckets / word> used_{};
  std::vector<int> late_;       ///< a heap of nodes beyond the calendar
  std::size_t filed_ = 0;       ///< nodes in buckets
  std::int64_t first_day_ = 0;  ///< the number of the earliest bucket since time 0
  Picoseconds front_ = never;   ///< the time of the next event
  std::size_t front_bucket_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace tilemeter
