#include "model/leaders.hpp"

#include <algorithm>

namespace tilemeter {
void Leaders::offer(const Case& candidate) {
  ++found_.tried;
  std::vector<RankedTiling>& best = found_.best;
  Count traffic = 0;
  try {
    traffic = search_.traffic(candidate);
  } catch (const FigureOverflow&) {
    if (best.empty()) throw;
    return;  // moves more than any other
  }
  const auto place =
      std::find_if(best.begin(), best.end(), [&](const RankedTiling& r) { return r.traffic >= traffic; });
  if (place != best.end() && place->traffic == traffic) return;
  best.insert(place, {candidate.tiling, traffic});
  if (best.size() > extent_.keep) best.pop_back();
}

bool Leaders::exhausted() {
  if (found_.tried < extent_.most_tried) return false;
  found_.exhaustive = false;
  return true;
}

}  // namespace tilemeter
