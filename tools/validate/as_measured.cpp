#include "tools/validate/as_measured.hpp"

namespace tilemeter {

PointResult evaluated_as_measured(const PointRequest& request) {
  PointResult result = evaluate(request, {});
  if (result.refusal || result.options.accumulation == Accumulation::unordered) return result;
  PointRequest bare = request;
  bare.device = nullptr;
  PointResult measured = evaluate(bare, {});
  result.options = measured.options;
  result.counted = measured.counted;
  result.closed = measured.closed;
  return result;
}

}  // namespace tilemeter
