#include "model/streaming_sizes.hpp"

#include <algorithm>
#include <array>

namespace tilemeter {

Count StreamingSizes::traffic_of_sample(Count size, Count companion) const {
  constexpr Count longest = 4096;
  Case point = with(size, companion);
  Problem& problem = point.problem;
  problem.mask = {};
  problem.seq_q = std::min(problem.seq_q, longest);
  problem.seq_k = std::min(problem.seq_k, longest);
  return search_.traffic(point);
}

bool StreamingSizes::companion_is_free() const {
  for (const Count size : std::array{step(), 2 * step(), size_limit()}) {
    const Count alone = traffic_of_sample(size, step());
    for (Count companion = companion_limit(); companion > step(); companion = search_.rounded_down(companion / 2)) {
      if (traffic_of_sample(size, companion) != alone) return false;
    }
  }
  return true;
}

}  // namespace tilemeter
