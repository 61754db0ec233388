// The rungs of flash3's ladder: steps on the way to the kernel, and what was tried beside it, for measuring what each
// choice is worth. Compiled with TILEMETER_LADDERS.
#pragma once

#include <span>
#include <string_view>

#include "kernels/catalog.hpp"
#include "kernels/flash3.hpp"

namespace tilemeter::kernels {

struct Flash3Rung {
  std::string_view name;
  std::string_view idea;
  Flash3Build build;
};

inline constexpr std::array flash3_rungs = {
    Flash3Rung{"flash3_rung1",
               "a producer and one warpgroup of 64 rows, one stage, a block a tile; one step after the other",
               flash3_build(128, 64, 128, 1,
                            {.overlap = false, .ping_pong = false, .persistent = false, .by_reference = false})},
    Flash3Rung{"flash3_rung2", "rung 1 with two warpgroups and two stages",
               flash3_build(128, 128, 128, 2,
                            {.overlap = false, .ping_pong = false, .persistent = false, .by_reference = false})},
    Flash3Rung{"flash3_rung3", "rung 2 with turns (ping-pong)",
               flash3_build(128, 128, 128, 2, {.overlap = false, .persistent = false, .by_reference = false})},
    Flash3Rung{"flash3_rung4", "rung 2 with the softmax under a product (overlap)",
               flash3_build(128, 128, 128, 2, {.ping_pong = false, .persistent = false, .by_reference = false})},
    Flash3Rung{"flash3_rung5", "rung 2 with both",
               flash3_build(128, 128, 128, 2, {.persistent = false, .by_reference = false})},
    Flash3Rung{"flash3_rung6", "rung 5 with persistent blocks",
               flash3_build(128, 128, 128, 2, {.by_reference = false})},
    Flash3Rung{"flash3_rung7", "rung 6 with a second buffer for query tiles",
               flash3_build(128, 128, 128, 2, {.by_reference = false, .q_buffers = 2})},
    Flash3Rung{"flash3_rung8", "rung 7 without maxima of whole tiles: the kernel",
               flash3_build(128, 128, 128, 2, {.q_buffers = 2})},
    Flash3Rung{"flash3_rung9", "rung 8 without turns",
               flash3_build(128, 128, 128, 2, {.ping_pong = false, .q_buffers = 2})},
    Flash3Rung{"flash3_rung10", "rung 8 in pairs of blocks that share K and V by multicast",
               flash3_build(128, 128, 128, 2, {.q_buffers = 2, .cluster = 2})},
    Flash3Rung{"flash3_rung11", "rung 8 with key tiles of 160, which leave no second buffer",
               flash3_build(128, 128, 160, 2, {})},
    Flash3Rung{"flash3_rung12", "rung 11 with three warpgroups and key tiles of 80", flash3_build(128, 192, 80, 2, {})},
};

/// A kernel for every rung, where rungs and CUDA are built; none elsewhere.
std::span<const Kernel> flash3_ladder();

/// As Kernel::launch and Kernel::count, of a rung.
struct Flash3RungLaunchers {
  void (*launch)(const Tensors&, const Case&, Stream);
  Work (*count)(const Tensors&, const Case&, Stream);
};
extern const std::array<Flash3RungLaunchers, flash3_rungs.size()> flash3_rung_launchers;

}  // namespace tilemeter::kernels
