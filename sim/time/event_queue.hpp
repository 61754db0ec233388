// What happens next: events by time, and in the order of their making at the same time.
#pragma once

#include <algorithm>
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

class EventQueue {
 public:
  void push(const Event& event) {
    heap_.push_back({event.time, order_++ << payload_bits | std::uint64_t{event.worker} << slot_bits | event.slot});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  Picoseconds next() const { return heap_.empty() ? never : heap_.front().time; }
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    return {.time = entry.time,
            .worker = static_cast<std::uint32_t>(entry.key >> slot_bits) & worker_mask,
            .slot = static_cast<std::uint32_t>(entry.key) & ((1u << slot_bits) - 1)};
  }

  static constexpr std::uint32_t most_workers = 1u << 20;

 private:
  static constexpr int slot_bits = 7;
  static constexpr int payload_bits = slot_bits + 20;
  static constexpr std::uint32_t worker_mask = most_workers - 1;
  struct Entry {
    Picoseconds time;
    std::uint64_t key;
  };
  static bool later(const Entry& a, const Entry& b) { return a.time != b.time ? a.time > b.time : a.key > b.key; }

  std::vector<Entry> heap_;
  std::uint64_t order_ = 0;
};

}  // namespace tilemeter
