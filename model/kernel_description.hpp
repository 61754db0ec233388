// How one kernel executes an algorithm, as a file says it: its tilings, its threads, and the order of its blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/execution.hpp"

namespace tilemeter {

/// One compiled tiling. Absent sizes play no part in the kernel's computation.
struct KernelBuild {
  std::optional<Count> head_dim{};
  std::optional<Count> head_dim_v{};  ///< given with head_dim, which it is by default
  std::vector<MaskKind> masks{};      ///< for these alone; empty: for all
  std::optional<Count> block_q{};
  std::optional<Count> block_k{};
  std::optional<Count> block_d{};
  std::optional<Count> block_m{};
  std::optional<Count> block_n{};
  std::optional<Count> stages{};
  std::optional<Count> registers{};  ///< of a thread
  Execution execution{};             ///< without a kernel's name
  bool spills = false;  ///< registers go to local memory: writes at the edge of the SMs are more than the bill's
};

/// Launches of a profile that are one computation together.
struct ProfiledLaunch {
  std::vector<std::string> kernels;  ///< each a part of a name in the profile, in the order of the launches
  /// What they compute, by the names of the program's options with _ for -: {"seq_q", "4096"}; flags have no value.
  std::vector<std::pair<std::string, std::string>> problem;
  std::string place;  ///< in its file: "mine.toml: launch[2]"
};

struct KernelDescription {
  std::string name;
  std::string title;
  std::string algorithm;
  std::string source;
  std::vector<KernelBuild> builds;
  std::vector<ProfiledLaunch> launches;
};

/// A description from the text of a file; `origin` names it in messages. The keys:
///   name = "fa2"                      what --kernel and the fits of a device file call it: a-z, 0-9 and _
///   title = "FlashAttention-2 ..."    one line
///   algorithm = "flash2"              as `tilemeter algorithms` lists them
///   source = "..."                    where the reading comes from
///   [execution]                       optional: how all builds execute, in the words of `tilemeter predict`
///     matrix = "mma"                  scalar mma wgmma; default mma
///     overlap = "pipelined"           serial pipelined; default pipelined
///     scheduling = "grid"             grid static-persistent forth-and-back counter; default grid
///     row_order = "ascending"         ascending descending longest-first; default ascending
///     fastest = "blocks"              blocks streams; default blocks
///     tails = "predicated"            predicated padded; default predicated
///     maxima = "all"                  all masked; default all
///     turns = "taken"                 taken free; default taken
///     spills = false                  whether registers spill; default false
///   [[build]]                         one or more tilings; of several that suit a point the first counts
///     head_dim = 128                  optional, and head_dim_v where it differs
///     masks = ["causal"]              optional, of none causal causal_top_left window: for these alone
///     block_q = 128, block_k = 64     the tile; block_d, block_m, block_n likewise: those that the algorithm has
///     stages = 2                      optional: depth of the ring
///     threads = 128                   of a block, producers included, 1 to 1024
///     math_warps = 4                  that share the rows of a tile; default all of them
///     blocks_per_sm = 2               optional: resident blocks; default by occupancy
///     registers = 255                 optional: of a thread
///     matrix = "wgmma", ...           any key of [execution], for this build
///   [[launch]]                        optional: launches of a profile of this kernel, in the profile's order
///     kernel = "flash_fwd_kernel"     part of the name in the profile; an array where several are one computation
///     batch = 4, mask = "causal", ... options of the program, with _ for -: numbers, text, and true for flags
/// Throws InputError that names origin and key, what was found and what is expected: text that is no TOML, a missing or
/// unknown key, a wrong type or word, a size out of range, no build, warps that are more than the threads.
KernelDescription parse_kernel(std::string_view toml, std::string_view origin);

/// The description that ships under `name_or_path` (or the only one that starts so), or that of a file. Throws
/// InputError that names --kernel: unknown, with the nearest name, or several; cannot be read; or as `parse_kernel`.
KernelDescription load_kernel(std::string_view name_or_path);

/// Names of the descriptions that ship, in the order of model/CMakeLists.txt.
std::vector<std::string_view> kernel_description_names();

/// What is known of a point when its build is chosen; absent sizes are not given.
struct BuildWish {
  Count head_dim = 0;
  Count head_dim_v = 0;
  MaskKind mask = MaskKind::none;
  std::optional<Count> block_q{};
  std::optional<Count> block_k{};
  std::optional<Count> block_d{};
  std::optional<Count> block_m{};
  std::optional<Count> block_n{};
  Count tokens = 0;  ///< of a weight_layer, which takes the build with the fewest, then narrowest tiles of them
};

/// The wish of a case: its sizes count where they were given (BlockRule::given).
BuildWish wish_of(const Case& point);

/// The first build that suits `wish`; nullptr when none does.
const KernelBuild* find_build(const KernelDescription& kernel, const BuildWish& wish);

/// The build of `point`. Throws InputError that lists the builds when none suits it.
const KernelBuild& build_of(const KernelDescription& kernel, const BuildWish& wish);

/// How the kernel executes `point`. Throws InputError that lists the builds when none suits it.
Execution execution_of(const KernelDescription& kernel, const Case& point);

/// "128 x 64, head_dim 128, causal": the sizes of a build, for messages.
std::string to_string(const KernelBuild& build);

}  // namespace tilemeter
