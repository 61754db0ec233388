// Loads and stores on their way: a port for each direction of an SM, and two servers that all ports share.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/machine_rates.hpp"
#include "traces/timeline.hpp"

namespace tilemeter {

inline constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();

/// A server that works for all its customers at once, each at an equal share of the bandwidth and at most at the rate
/// of a port. Its virtual clock shows the bytes that a customer of the whole time would have got, so that each leaves
/// at a fixed mark: O(log n) a customer.
class FluidServer {
 public:
  /// Both in bytes per picosecond.
  FluidServer(double bandwidth, double port) : bandwidth_(bandwidth), port_(port) {}

  void enter(Picoseconds now, double bytes, int customer);
  /// When the next customer leaves, in whole picoseconds, rounded up; `never` when there is none.
  Picoseconds next() const { return next_; }
  /// The customer that leaves at `next()`.
  int leave();

 private:
  struct Mark {
    double bytes = 0;
    std::uint64_t order = 0;
    int customer = 0;
    bool operator>(const Mark& other) const { return bytes != other.bytes ? bytes > other.bytes : order > other.order; }
  };
  double rate() const;
  void advance(Picoseconds now);
  void find_next();

  double bandwidth_;
  double port_;
  double virtual_ = 0;
  Picoseconds time_ = 0;
  Picoseconds next_ = never;
  std::uint64_t order_ = 0;
  std::vector<Mark> marks_;  ///< a heap, the least first
};

enum class Port { load, store };

/// A transfer: `edge` bytes cross the edge of the SM, `hbm` bytes move between the L2 and device memory for it.
struct Transfer {
  double edge = 0;
  double hbm = 0;
  std::uint32_t tag = 0;  ///< for whoever asked
  int sm = 0;
  Port port = Port::load;
};

/// A transfer that passed both servers.
struct Served {
  Transfer transfer{};
  Picoseconds asked = 0;
  Picoseconds begin = 0;  ///< of its service
  Picoseconds end = 0;
};

/// The ports of all SMs, which serve their transfers in order, one at a time, and the L2 and device memory behind.
class Transfers {
 public:
  Transfers(const MachineRates& rates, int sms);

  void ask(Picoseconds now, const Transfer& transfer);
  /// When a server is next done with a transfer.
  Picoseconds next() const { return l2_.next() < hbm_.next() ? l2_.next() : hbm_.next(); }
  /// Handles what happens at `next()`; true when a transfer passed its second server, which is then `served`.
  bool step(Served& served);

 private:
  struct Entry {
    Served data{};
    int next = -1;    ///< behind it in its port's queue
    int servers = 0;  ///< that still work for it
  };
  struct Queue {
    int first = -1;  ///< in service
    int last = -1;
  };
  Queue& queue_of(const Transfer& transfer) {
    return queues_[static_cast<std::size_t>(2 * transfer.sm + (transfer.port == Port::store ? 1 : 0))];
  }
  int allocate();
  void begin(Picoseconds now, int entry);

  FluidServer l2_;
  FluidServer hbm_;
  std::vector<Queue> queues_;
  std::vector<Entry> entries_;
  std::vector<int> free_;
};

}  // namespace tilemeter
