#include "model/execution.hpp"

#include <algorithm>

#include "model/closed_form/flash3.hpp"
#include "model/hardware_candidates.hpp"
#include "model/register_use.hpp"

namespace tilemeter {
namespace {

constexpr Count warpgroup_warps = 4;
constexpr Count warpgroup_threads = warpgroup_warps * warp_threads;
constexpr Count wgmma_capability = 90;

/// Four warps, or eight where four would spill: O and S of a query tile in fp32, and what a kernel holds beside them,
/// are more than the 255 registers of a thread.
Count mma_warps(const Case& point) {
  constexpr Count most_accumulators = (255 - registers_beside_accumulators) * warpgroup_threads;
  const Count rows = std::min(point.tiling.block_q, std::max(Count{1}, point.problem.rows()));
  const Count keys = std::min(point.tiling.block_k, std::max(Count{1}, point.problem.seq_k));
  const Count accumulators = checked::multiply(rows, checked::add(point.problem.head_dim_v, keys));
  return accumulators > most_accumulators ? 2 * warpgroup_warps : warpgroup_warps;
}

Execution wgmma_groups(const Case& point) {
  const GroupRows rows = group_rows(std::min(point.tiling.block_q, std::max(Count{1}, point.problem.rows())));
  const Count groups = rows.second > 0 ? 2 : 1;
  Execution execution;
  execution.matrix = MatrixPath::wgmma;
  // FlashAttention-3 deals equal tiles beforehand, and tiles of unequal length from a counter.
  execution.scheduling =
      point.problem.mask.kind == MaskKind::none ? Scheduling::static_persistent : Scheduling::counter;
  execution.rows = RowOrder::longest_first;
  execution.threads = (groups + 1) * warpgroup_threads;
  execution.math_warps = groups * warpgroup_warps;
  return execution;
}

}  // namespace

std::string_view name_of(MatrixPath path) {
  switch (path) {
    case MatrixPath::scalar:
      return "scalar";
    case MatrixPath::mma:
      return "mma";
    case MatrixPath::wgmma:
      return "wgmma";
  }
  return "";
}

std::string_view name_of(Overlap overlap) { return overlap == Overlap::serial ? "serial" : "pipelined"; }

std::string_view name_of(Scheduling scheduling) {
  switch (scheduling) {
    case Scheduling::grid:
      return "grid";
    case Scheduling::static_persistent:
      return "static-persistent";
    case Scheduling::forth_and_back:
      return "forth-and-back";
    case Scheduling::counter:
      return "counter";
  }
  return "";
}

std::string_view name_of(RowOrder order) {
  switch (order) {
    case RowOrder::ascending:
      return "ascending";
    case RowOrder::descending:
      return "descending";
    case RowOrder::longest_first:
      return "longest-first";
  }
  return "";
}

std::string_view name_of(FastestIndex index) { return index == FastestIndex::blocks ? "blocks" : "streams"; }

std::string_view name_of(Maxima maxima) { return maxima == Maxima::all ? "all" : "masked"; }

std::string_view name_of(Turns turns) { return turns == Turns::taken ? "taken" : "free"; }

std::string_view name_of(Tails tails) { return tails == Tails::predicated ? "predicated" : "padded"; }

Execution default_execution(std::string_view algorithm, const Case& point, const Device& device) {
  Execution execution;
  if (!device.rate(ComputeUnit::tensor, point.problem.dtype)) {
    execution.matrix = MatrixPath::scalar;
  } else if (algorithm == "flash3" && device.capability() == wgmma_capability) {
    execution = wgmma_groups(point);
  } else {
    execution.math_warps = mma_warps(point);
    execution.threads = execution.math_warps * warp_threads;
  }
  return execution;
}

}  // namespace tilemeter
