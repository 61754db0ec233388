// The tile sizes that kernels are built with, held against a budget and a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "model/occupancy.hpp"
#include "model/tiling_rule.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// What a device gives to the block of a tiling.
struct BlockOnDevice {
  Count warps = 4;
  RegisterUse registers;
  Occupancy occupancy;
  bool spills = false;  ///< see registers_beside_accumulators
};

/// One tiling of the list, with what it needs, and what it moves or why it is out.
struct HardwareCandidate {
  Tiling tiling;
  Footprint use;                       ///< of the kernel that holds most bytes
  std::optional<BlockOnDevice> block;  ///< with a device
  std::optional<Traffic> traffic;      ///< absent when rejected
  std::optional<double> seconds{};     ///< in closed form; absent where nobody predicted it
  std::optional<double> simulated{};   ///< by the engine; absent where nobody ran it
  std::string reason;                  ///< empty when not rejected

  bool rejected() const { return !traffic.has_value(); }
  bool spills() const { return block && block->spills; }
};

/// Registers a thread that a kernel holds beside its accumulators: operand fragments, addresses, loop state. flash
/// attention at d = 128 with tiles of 64x64 and 4 warps keeps 97 accumulators a thread and was compiled to 180
/// registers; with 128x64, 194 accumulators, it spilled at 255 (Dao-AILab/flash-attention, pull request 2808, sm_80).
inline constexpr Count registers_beside_accumulators = 83;

/// Whether accumulators leave a thread fewer registers than those.
inline bool crowds_registers(const RegisterUse& use) {
  return checked::add(use.accumulators_per_thread, registers_beside_accumulators) > use.limit;
}

/// What candidates are made of and held against.
struct CandidateRequest {
  std::string_view algorithm;
  const Case& point;
  const Budget& budget;
  std::vector<Count> stages = {1};
  std::vector<Count> warps = {4, 8};  ///< see block_on_device
  const Device* device = nullptr;     ///< absent: registers and resident blocks are unknown
};

/// The fullest block of `tiled` on the request's device, which is given, with the first of its `warps` that does not
/// spill, else the last.
BlockOnDevice block_on_device(const CandidateRequest& request, const Case& tiled);

/// Sizes 16 to 256 that kernels use, in rows and keys, for each number of stages: first those that fit and do not
/// spill, then those that fit, then the rejected ones; within each by traffic in bytes, then by bytes on chip. Throws
/// InputError for warps outside 1 to 32, and FigureOverflow.
std::vector<HardwareCandidate> hardware_candidates(const CandidateRequest& request);

}  // namespace tilemeter
