#include "model/hardware_candidates.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/tile_search.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Count, 11> sizes = {16, 32, 64, 80, 96, 112, 128, 160, 176, 192, 256};

/// Why a size that a smaller one of the list serves as well is out; empty when it is not.
std::string needless(std::string_view option, Count size, Count extent, std::string_view rows) {
  for (const Count smaller : sizes) {
    if (smaller >= size) break;
    if (smaller < extent) continue;
    return std::string(option) + " " + std::to_string(size) + ": the problem has only " + std::to_string(extent) + " " +
           std::string(rows) + ", which " + std::to_string(smaller) + " covers";
  }
  return "";
}

class Candidates {
 public:
  explicit Candidates(const CandidateRequest& request) : request_(request) {}

  std::vector<HardwareCandidate> all() {
    for (const Count stages : request_.stages) {
      for (const Count block_q : sizes) {
        for (const Count block_k : sizes) add(block_q, block_k, stages);
      }
    }
    const auto rank = [](const HardwareCandidate& c) {
      return std::tuple(c.rejected(), c.spills(), c.traffic ? c.traffic->total_bytes() : Bytes(0), c.use.bytes());
    };
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return std::move(candidates_);
  }

 private:
  void add(Count block_q, Count block_k, Count stages) {
    HardwareCandidate candidate;
    Case point = request_.point;
    point.tiling.block_q = block_q;
    point.tiling.block_k = block_k;
    point.tiling.stages = stages;
    candidate.tiling = point.tiling;
    candidate.use = footprint_of(on_chip_tiles(request_.algorithm, point));
    if (request_.device != nullptr) candidate.block = block_on_device(request_, point);
    candidate.reason = reason_against(point);
    if (candidate.reason.empty()) candidate.traffic = closed_form(request_.algorithm, point).total();
    candidates_.push_back(std::move(candidate));
  }

  std::string reason_against(const Case& point) const {
    const Problem& problem = point.problem;
    if (overflow_of(request_.algorithm, point, request_.budget) > 0) {
      return kernel_capacity_message(request_.algorithm, point, request_.budget);
    }
    const std::string rows = needless("block_q", point.tiling.block_q, problem.rows(), "query rows");
    return rows.empty() ? needless("block_k", point.tiling.block_k, problem.seq_k, "keys") : rows;
  }

  const CandidateRequest& request_;
  std::vector<HardwareCandidate> candidates_;
};

}  // namespace

BlockOnDevice block_on_device(const CandidateRequest& request, const Case& tiled) {
  BlockPlan plan{.name = capacity_subject(request.algorithm, tiled, request.budget),
                 .tiles = on_chip_tiles(request.algorithm, tiled)};
  BlockOnDevice block;
  for (const Count warps : request.warps) {
    block.warps = warps;
    plan.threads = warps * warp_threads;
    block.registers = register_use(plan, *request.device);
    block.spills = crowds_registers(block.registers);
    if (!block.spills) break;
  }
  block.occupancy = occupancy_of(plan, *request.device);
  return block;
}

std::vector<HardwareCandidate> hardware_candidates(const CandidateRequest& request) {
  return Candidates(request).all();
}

}  // namespace tilemeter
