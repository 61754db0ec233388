// How much of the traffic at the edge of the SMs an L2 lets through to device memory, estimated without simulation.
#pragma once

#include <string_view>

#include "model/block_schedule.hpp"
#include "model/execution.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// Blocks that run at once (SMs x blocks an SM), and which of a launch come first.
struct Concurrency {
  Count resident = 1;
  FastestIndex fastest = FastestIndex::blocks;
  RowOrder rows = RowOrder::ascending;
  double active = 1;  ///< share of the streams (heads, batch items) that those blocks belong to
};

/// The share of the streams of a launch that `resident` blocks at a time belong to, blocks of a stream one after the
/// other.
double active_share(const LaunchBlocks& blocks, Count resident);

/// The share of `bytes`, touched in any order, that `capacity` does not hold.
double share_lost(double bytes, double capacity);

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
///           (streams / R)th): D = G B + max(R, streams) (q + o); and where a key tile of each is more than C, blocks
///           share with those of their own group of heads alone.
///  masked:  Blocks end, and the next ones start, at different times. The gaps between the touches of a key tile follow
///           from when blocks start; those are read again in which C bytes are touched, by the working-set method
///           (model/working_set.hpp). Split keys likewise.
///  splits:  Parts of O at share x of the first kernel (T bytes), before `combine` reads them: D(x) = (1 - x) T + x
///  (the
///           parts and O).
///
/// flash1: a block walks its Q, O, l and m once a key tile. D of a visit is what the streams at once have in the rows
/// that visit the key tile, and a key tile each: rows with D > C are read and written at every visit, others once.
///
/// gemm (C stationary), weight_layer and both products of standard_tiled: a wave of blocks walks its panels in step,
/// once. A column's panel comes back with the next wave, or with the next row of blocks where that is longer, a row's
/// where a wave ends inside it; D is a wave, or a row of blocks. S and P between the kernels of standard_tiled: D(x) =
/// S + x P, then (1 - x) (S + P) + x (P + O).
///
/// softmax: D between two passes over a row is a row of X for each of R blocks.
///
/// All others, from the bill alone: every tensor once when all of them fit. Else reads beyond the first hit for the
/// share C / (bytes of all tensors of the streams that run at once), as if they came in any order; the first read of a
/// tensor that was written before for the share C / (bytes of all tensors).
///
/// Against lockstep_traffic on random points: within 1 % in nine of ten full flash2 and flash1 points, within 15 %
/// under masks, the rest where D is near C (tests/sim/time/reuse_test.cpp).
///
/// Left dirty: C or all bytes, in the proportion of outputs among what the blocks touch. Assumes that blocks do not
/// drift apart; persistent blocks whose tiles were dealt beforehand do. Throws as `closed_form`.
DramEstimate estimate_dram(std::string_view algorithm, const Case& point, const Concurrency& concurrency,
                           Bytes capacity);

/// Whether `estimate_dram` knows the order in which the algorithm touches its tensors. Of others, an estimate from the
/// traffic of each kernel is better (sim/time/kernel_works.hpp).
bool knows_order(std::string_view algorithm, const Case& point);

}  // namespace tilemeter
