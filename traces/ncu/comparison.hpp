// What a difference between predicted and measured bytes may mean.
#pragma once

#include <optional>
#include <string>

#include "model/units.hpp"

namespace tilemeter::ncu {

/// Whether profiler bytes at the edge of the SM are the ledger's: within 0.1 % of it or 1 MiB, whichever is more.
bool agrees_at_sm_edge(Bytes ledger, Bytes measured);

/// A suspicion where one figure is about four times (within 1 %) the other: a cache line of 128 bytes was counted where
/// the other side counts sectors of 32. Absent for other ratios.
std::optional<std::string> line_or_sector(Bytes predicted, Bytes measured);

/// How DRAM writes of a kernel compare with its output.
enum class DramWrites {
  up_to_output,     ///< normal: dirty lines may stay in the L2 when the kernel ends
  more_than_output  ///< lines were written twice, registers spilled, or lines were dirty before
};
DramWrites dram_writes(Bytes measured, Bytes output);

/// One sentence on it; for `up_to_output` how to see the rest, given the capacity of the L2.
std::string to_text(DramWrites writes, Bytes l2_capacity);

}  // namespace tilemeter::ncu
