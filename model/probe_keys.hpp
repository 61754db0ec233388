// What can be measured of a GPU beyond the quantities of a data sheet: the keys of a device overlay under `probe`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace tilemeter {

/// What a probe's figure counts, always in SI units or clocks of an SM.
enum class ProbeUnit {
  bytes,                  ///< B
  bytes_per_second,       ///< B/s
  seconds,                ///< s
  hertz,                  ///< Hz
  watts,                  ///< W
  operations_per_second,  ///< op/s of the whole GPU
  clocks,                 ///< clk
  bytes_per_clock,        ///< B/clk/SM
  flops_per_clock,        ///< FLOP/clk/SM, a multiply-add as two
  operations_per_clock,   ///< op/clk/SM, an instruction of one thread as one
  ratio                   ///< x
};

/// "B/clk/SM".
std::string_view name_of(ProbeUnit unit);

struct ProbeKey {
  std::string key;  ///< "probe.hbm.read"
  ProbeUnit unit;
  std::string measures;  ///< a phrase
};

/// All of them, in the order in which they are written.
const std::vector<ProbeKey>& probe_keys();

/// The entry of a key, or nullptr.
const ProbeKey* find_probe_key(std::string_view key);

/// Whether a key of a device file is a probe's by its name.
inline bool is_below_probe(std::string_view key) { return key.substr(0, 6) == "probe."; }

/// Bytes that the loads of one SM keep in flight, in KiB: probe.hbm.in_flight.k8.
const std::vector<Count>& in_flight_sizes();
/// Footprints of the L2's bandwidth in MiB: probe.l2.footprint.m32.
const std::vector<Count>& footprint_sizes();
/// Columns of the product of one wgmma: probe.wgmma.bf16.n64.ss.
const std::vector<Count>& wgmma_columns();
/// Threads of a block that meet at a barrier: probe.barrier.block.t256.
const std::vector<Count>& barrier_threads();

/// A figure as text, with four significant digits: "4.312 TB/s", "127.6 B/clk/SM"; bytes exactly.
std::string probe_text(ProbeUnit unit, double value);
/// The value of such a text. Throws InputError that names `place`.
double parse_probe(ProbeUnit unit, const std::string& text, const std::string& place);

}  // namespace tilemeter
