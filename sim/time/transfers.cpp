#include "sim/time/transfers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tilemeter {
namespace {

constexpr double picoseconds_a_second = 1e12;
/// Picoseconds above a whole number that are rounding errors of the virtual clock.
constexpr double rounding = 1e-3;

}  // namespace

double FluidServer::rate() const { return std::min(port_, bandwidth_ / static_cast<double>(marks_.size())); }

void FluidServer::advance(Picoseconds now) {
  if (!marks_.empty()) virtual_ += rate() * static_cast<double>(now - time_);
  time_ = now;
}

void FluidServer::find_next() {
  if (marks_.empty()) {
    next_ = never;
    virtual_ = 0;
    return;
  }
  const double left = std::max(0.0, marks_.front().bytes - virtual_) / rate();
  next_ = time_ + static_cast<Picoseconds>(std::ceil(left - rounding));
}

void FluidServer::enter(Picoseconds now, double bytes, int customer) {
  advance(now);
  marks_.push_back({virtual_ + bytes, order_++, customer});
  std::push_heap(marks_.begin(), marks_.end(), std::greater<>());
  find_next();
}

int FluidServer::leave() {
  advance(next_);
  std::pop_heap(marks_.begin(), marks_.end(), std::greater<>());
  const int customer = marks_.back().customer;
  marks_.pop_back();
  find_next();
  return customer;
}

Transfers::Transfers(const MachineRates& rates, int sms)
    : l2_(rates.l2 / picoseconds_a_second, rates.port * rates.clock_hz / picoseconds_a_second),
      hbm_(rates.hbm / picoseconds_a_second, rates.port * rates.clock_hz / picoseconds_a_second),
      queues_(static_cast<std::size_t>(2 * sms)) {}

int Transfers::allocate() {
  if (free_.empty()) {
    entries_.emplace_back();
    return static_cast<int>(entries_.size()) - 1;
  }
  const int entry = free_.back();
  free_.pop_back();
  return entry;
}

void Transfers::ask(Picoseconds now, const Transfer& transfer) {
  const int entry = allocate();
  entries_[static_cast<std::size_t>(entry)] = {.data = {.transfer = transfer, .asked = now}};
  Queue& queue = queue_of(transfer);
  if (queue.first < 0) {
    queue = {entry, entry};
    begin(now, entry);
    return;
  }
  entries_[static_cast<std::size_t>(queue.last)].next = entry;
  queue.last = entry;
}

void Transfers::begin(Picoseconds now, int entry) {
  Entry& it = entries_[static_cast<std::size_t>(entry)];
  it.data.begin = now;
  it.servers = 1;
  l2_.enter(now, it.data.transfer.edge, entry);
  if (it.data.transfer.hbm <= 0) return;
  ++it.servers;
  hbm_.enter(now, it.data.transfer.hbm, entry);
}

bool Transfers::step(Served& served) {
  const Picoseconds now = next();
  const int entry = l2_.next() <= hbm_.next() ? l2_.leave() : hbm_.leave();
  Entry& it = entries_[static_cast<std::size_t>(entry)];
  if (--it.servers > 0) return false;
  served = it.data;
  served.end = now;
  Queue& queue = queue_of(served.transfer);
  queue.first = it.next;
  free_.push_back(entry);
  if (queue.first >= 0) begin(now, queue.first);
  return true;
}

}  // namespace tilemeter
