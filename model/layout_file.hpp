// Blocks that a file describes: the tiles, threads and registers of a kernel that is in no catalog.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/launch_grid.hpp"
#include "model/occupancy.hpp"

namespace tilemeter {

/// Compiler targets that a kernel exists for, and why no others.
struct ArchRestriction {
  std::vector<std::string> arch;
  std::string reason;
};

struct BlockLayout {
  BlockPlan plan;  ///< shared memory beside the tiles stands among them as one row of bytes
  std::optional<LaunchGrid> grid{};
  std::optional<ArchRestriction> supported{};

  /// Why the kernel does not exist for `device`: its reason, and the targets it exists for. Nothing when it does.
  /// "sm_90" and "sm_90a" are one target.
  std::optional<std::string> unsupported_on(const Device& device) const;
};

/// A layout from the text of a layout file; `origin` names it in messages. The keys:
///   name = "fa2-d128"                 for messages
///   threads = 128                     of a block, 1 to 1024
///   registers = 232                   of a thread, 1 to 255; optional
///   grid = [x, y, z]                  blocks along each axis; optional
///   [[tile]]                          any number of tiles:
///     name = "K", rows = 64, cols = 128
///     type = "bf16"                   fp64 fp32 fp16 bf16 fp8 u8
///     space = "shared"                or "registers"
///     copies = 2                      buffers of the tile; default 1
///   [[extra]]                         any shared memory beside tiles:
///     name = "barriers", size = "64 B"
///   [supported]                       optional: where a kernel exists
///     arch = ["sm_80", "sm_90"], reason = "no kernel with dropout below 164 KiB"
/// Throws InputError that names origin and key, what was found and what is expected: text that is no TOML, a missing or
/// unknown key, a wrong type, unit or size, a name given twice, a file without tiles and extras.
BlockLayout parse_layout(std::string_view toml, std::string_view origin);

/// The layout of a file. Throws InputError when it cannot be read, or as `parse_layout`.
BlockLayout load_layout(const std::string& path);

}  // namespace tilemeter
