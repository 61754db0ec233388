// Rank 0 of a sweep: gives points of its pool to the other ranks and takes what they made.
#pragma once

#include <atomic>
#include <vector>

#include "tools/sweep/pool.hpp"
#include "tools/sweep/ranks/packet.hpp"
#include "tools/sweep/ranks/ranks.hpp"

namespace tilemeter {

/// The `serve` of a pool's task. Requests that cannot be met yet wait; when nothing more can be claimed they get no
/// points, which sends their threads home.
class Lead {
 public:
  /// Adds to `failures` what other ranks say at their end.
  Lead(Ranks& ranks, std::atomic<std::size_t>& failures) : ranks_(ranks), failures_(failures) {}

  /// True when all other ranks have said farewell. What cannot be read ends the program, and with it the job: other
  /// ranks would wait for an answer.
  bool serve(SharedPoints& points) noexcept;

 private:
  struct Waiting {
    std::size_t rank = 0;
    int lane = 0;
    std::size_t wanted = 0;
  };

  void take(const Message& message, SharedPoints& points);
  void take_farewell(const Message& message, SharedPoints& points);
  bool answer(const Waiting& waiting, SharedPoints& points);

  Ranks& ranks_;
  std::atomic<std::size_t>& failures_;
  std::vector<Waiting> waiting_;
  std::size_t gone_ = 0;
};

}  // namespace tilemeter
