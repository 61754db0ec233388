#include "sim/time/event_queue.hpp"

#include <algorithm>
#include <bit>

namespace tilemeter {

EventQueue::EventQueue() { nodes_.reserve(buckets); }

bool EventQueue::later(int a, int b) const {
  const Node& x = nodes_[static_cast<std::size_t>(a)];
  const Node& y = nodes_[static_cast<std::size_t>(b)];
  return x.time != y.time ? x.time > y.time : x.order > y.order;
}

void EventQueue::push(const Event& event) {
  int node = static_cast<int>(nodes_.size());
  if (free_.empty()) {
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[static_cast<std::size_t>(node)] = {
      .time = event.time, .order = order_++, .worker = event.worker, .slot = event.slot};
  if ((event.time >> bucket_bits) - first_day_ < static_cast<std::int64_t>(buckets)) {
    file(node);
    return;
  }
  late_.push_back(node);
  std::push_heap(late_.begin(), late_.end(), [this](int a, int b) { return later(a, b); });
  if (filed_ == 0) front_ = nodes_[static_cast<std::size_t>(late_.front())].time;
}

void EventQueue::file(int node) {
  Node& it = nodes_[static_cast<std::size_t>(node)];
  const std::size_t index = static_cast<std::size_t>(it.time >> bucket_bits) % buckets;
  Bucket& bucket = buckets_[index];
  if (bucket.first < 0) {
    bucket = {node, node};
    used_[index / word] |= std::uint64_t{1} << (index % word);
  } else if (later(node, bucket.last)) {
    nodes_[static_cast<std::size_t>(bucket.last)].next = node;
    bucket.last = node;
  } else if (later(bucket.first, node)) {
    it.next = bucket.first;
    bucket.first = node;
  } else {
    int before = bucket.first;
    while (later(node, nodes_[static_cast<std::size_t>(before)].next))
      before = nodes_[static_cast<std::size_t>(before)].next;
    it.next = nodes_[static_cast<std::size_t>(before)].next;
    nodes_[static_cast<std::size_t>(before)].next = node;
  }
  if (filed_++ == 0 || it.time < front_) {
    front_ = it.time;
    front_bucket_ = index;
  }
}

Event EventQueue::pop() {
  if (filed_ == 0) {
    first_day_ = front_ >> bucket_bits;
    file_late();
  }
  Bucket& bucket = buckets_[front_bucket_];
  const int node = bucket.first;
  const Node& it = nodes_[static_cast<std::size_t>(node)];
  const Event event = {.time = it.time, .worker = it.worker, .slot = it.slot};
  bucket.first = it.next;
  if (bucket.first < 0) used_[front_bucket_ / word] &= ~(std::uint64_t{1} << (front_bucket_ % word));
  --filed_;
  free_.push_back(node);
  first_day_ = event.time >> bucket_bits;
  file_late();
  find_front();
  return event;
}

void EventQueue::file_late() {
  const auto order = [this](int a, int b) { return later(a, b); };
  while (!late_.empty() && (nodes_[static_cast<std::size_t>(late_.front())].time >> bucket_bits) - first_day_ <
                               static_cast<std::int64_t>(buckets)) {
    std::pop_heap(late_.begin(), late_.end(), order);
    const int node = late_.back();
    late_.pop_back();
    file(node);
  }
}

void EventQueue::find_front() {
  if (filed_ == 0) {
    front_ = late_.empty() ? never : nodes_[static_cast<std::size_t>(late_.front())].time;
    return;
  }
  std::size_t index = static_cast<std::size_t>(first_day_) % buckets;
  std::uint64_t bits = used_[index / word] >> (index % word) << (index % word);
  while (bits == 0) {
    index = (index / word + 1) % used_.size() * word;
    bits = used_[index / word];
  }
  front_bucket_ = index / word * word + static_cast<std::size_t>(std::countr_zero(bits));
  front_ = nodes_[static_cast<std::size_t>(buckets_[front_bucket_].first)].time;
}

}  // namespace tilemeter
