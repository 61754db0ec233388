// How much of the traffic at the edge of the SMs an L2 lets through to device memory, estimated without simulation.
#pragma once

#include <string_view>

#include "model/execution.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// Blocks that run at once (SMs x blocks an SM), and which of a launch come first.
struct Concurrency {
  Count resident = 1;
  FastestIndex fastest = FastestIndex::blocks;
};

struct DramEstimate {
  Bytes read{};
  Bytes write{};       ///< until the end of the last kernel
  Bytes left_dirty{};  ///< written, still in the L2
};

/// Reads and writes of device memory behind an L2 that holds `capacity` = C bytes, least recently used out first. R
/// blocks run at once, in lockstep, and the next starts where one ends. What is touched again is there if what was
/// touched in between, D bytes, is at most C.
///
/// Query tiles outside (flash2, flash3, zigzag, split_kv): inputs once, and of the K and V of a group of heads (B
/// bytes) what has left before it is touched again. n blocks walk them.
///  full:    All blocks of a wave walk in step and share one pass. A group whose n blocks lie in two waves w and w + 1
///  is
///           walked in both; between the passes over a point at share x of the walk lie
///             D(x) = (1 - x) K_w + x K_(w+1) + R (q + o),
///           K_w the K and V of the groups in wave w, q and o the bytes of a block's Q and O: x with D(x) > C is read
///           again. With streams running fastest every wave has all G groups (those of more than R streams in every
///           (streams / R)th): D = G B + max(R, streams) (q + o).
///  masked:  Blocks end at different times, r = R / L of them in a step (L the mean number of key tiles, t the bytes of
///           one), so that blocks of a group follow each other at h = 1 / r steps (streams / r with streams fastest,
///           block_q / block_k under a window).
///             D = min(K and V of the groups under way, t R max(1, h)) + (q + o) r max(1, h),
///           in the first line not more than t times the tiles that blocks of one group are apart, over its groups.
///           D > C: what the blocks read at the edge, over the r that start in one step.
///  splits:  Parts of O that had left before `combine` reads them: the share of the first kernel's bytes beyond C.
///
/// flash1: blocks walk their Q, O, l and m once a key tile; those of the blocks that run at once are D. D <= C: once;
/// D > C: as often as at the edge, and O, l and m are written as often.
///
/// All others, from the bill alone: every tensor once when all of them fit; else reads beyond the first hit for the
/// share C / (bytes of all tensors), as if they came in any order, and tensors that are written and read back likewise.
///
/// Left dirty: C or all bytes, in the proportion of outputs among what the blocks touch. Assumes that blocks do not
/// drift apart; persistent blocks whose tiles were dealt beforehand do. Throws as `closed_form`.
DramEstimate estimate_dram(std::string_view algorithm, const Case& point, const Concurrency& concurrency,
                           Bytes capacity);

}  // namespace tilemeter
