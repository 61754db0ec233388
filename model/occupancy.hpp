// How many blocks an SM holds at a time, and what limits them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/on_chip.hpp"
#include "model/register_use.hpp"

namespace tilemeter {

/// A block as its tiles and threads.
struct BlockPlan {
  std::string name;  ///< for messages: "flash2 128x64, d=256, bf16"
  std::vector<OnChipTile> tiles{};
  Count threads = 128;
  std::optional<Count> registers{};  ///< per thread, where known
};

/// What one block takes of an SM.
struct BlockNeeds {
  Bytes shared{};                    ///< without the device's reserve
  std::optional<Count> registers{};  ///< per thread; absent: registers set no limit
  Count threads = 128;               ///< 1 to 1024
};

/// What can end the number of resident blocks. `warps` are the SM's resident threads, `blocks` its resident blocks.
enum class SmLimit { shared_memory, registers, warps, blocks };
std::string_view name_of(SmLimit limit);  ///< "shared memory", "registers", "warps", "blocks"

/// Resident blocks of one SM.
struct Occupancy {
  std::optional<Count> by_shared{};     ///< absent when shared memory sets no limit
  std::optional<Count> by_registers{};  ///< absent when the registers are unknown
  Count by_warps = 0;
  Count by_blocks = 0;

  Count blocks = 0;                 ///< the least of them; 0 when a block cannot run at all
  std::vector<SmLimit> limiters{};  ///< every limit that equals it
  Count warps_of_block = 0;
  Count most_warps = 0;       ///< that the SM holds
  bool needs_opt_in = false;  ///< the kernel must ask for more shared memory than the default (48 KiB)

  Count warps() const { return blocks * warps_of_block; }
  /// Share of the SM's warps in percent. 1 block of 4 warps of 48: 8.33.
  double percent() const { return 100.0 * static_cast<double>(warps()) / static_cast<double>(most_warps); }
};

/// Resident blocks as the CUDA occupancy calculator counts them (CUDA Toolkit 13.0, cuda_occupancy.h), with the largest
/// shared memory of the SM. Throws InputError for threads outside 1 to 1024 and registers outside 1 to 255.
Occupancy occupancy_of(const BlockNeeds& needs, const Device& device);

/// The same of a plan; its registers are those of `register_use`, and tiles in registers beyond the register file leave
/// no block. Also throws FigureOverflow.
Occupancy occupancy_of(const BlockPlan& plan, const Device& device);

/// The registers of a thread of `plan`, from its tiles in registers and the number given. Throws as occupancy_of.
RegisterUse register_use(const BlockPlan& plan, const Device& device);

/// What `plan` takes. Throws as occupancy_of, and FigureOverflow.
BlockNeeds needs_of(const BlockPlan& plan, const Device& device);

/// Why no block of `plan` can run on `device`, with the arithmetic: shared memory beyond the limit of a block, tiles in
/// registers beyond the register file, more registers or threads than there are. Nothing when one can.
/// Throws as occupancy_of.
std::optional<std::string> refusal_of(const BlockPlan& plan, const Device& device);

}  // namespace tilemeter
