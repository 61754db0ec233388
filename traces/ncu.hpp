// Counters of kernel launches, as Nsight Compute exported them (`ncu --csv`).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace tilemeter {

/// Options of the profiled run that change what the counters say; absent where the export does not state them.
struct NcuOptions {
  std::optional<std::string> replay_mode;    ///< kernel, application, range, app-range
  std::optional<std::string> cache_control;  ///< all: caches are flushed before every pass; none
  std::optional<std::string> clock_control;  ///< base: clocks are locked; none, boost, reset
};

/// The options in a command line of ncu. Throws InputError that names an option and its accepted values.
NcuOptions ncu_options(std::string_view command);

/// Why a metric has no value.
enum class NcuAbsence {
  not_collected,  ///< it is not in the export
  not_available,  ///< "n/a": the counters were not permitted, or this GPU does not have this one
  denied          ///< the driver refused the counters: ERR_NVGPUCTRPERM
};

/// "not measured: counter permission", "not measured: n/a (...)" or "not measured: not in the export".
std::string_view to_text(NcuAbsence absence);

struct NcuMissing {
  std::string_view metric;
  NcuAbsence absence = NcuAbsence::not_collected;
};

/// One launch. Counters are sums over the GPU.
struct NcuLaunch {
  Count id = 0;
  std::string process;  ///< as printed; launches of several processes may share ids
  std::string kernel;
  std::array<Count, 3> grid{};   ///< blocks along x, y, z
  std::array<Count, 3> block{};  ///< threads along x, y, z
  Count device = 0;
  std::string compute_capability;  ///< "9.0"

  // At the edge of the SM: what the simulator's ledger and a kernel's own counters count.
  std::optional<Bytes> sm_edge_read;   ///< l1tex__m_xbar2l1tex_read_bytes.sum
  std::optional<Bytes> sm_edge_write;  ///< l1tex__m_l1tex2xbar_write_bytes.sum

  // At the L2. The total holds what its two partitions exchange; what SMs asked for (srcunit_tex) does not. On Hopper
  // that is less than crosses the edge of the SM, as reads of one line by neighbouring SMs are served together.
  std::optional<Bytes> l2_total;
  std::optional<Bytes> l2_fabric;  ///< what the partitions exchange (srcunit_ltcfabric)
  std::optional<Bytes> l2_read;
  std::optional<Bytes> l2_write;
  std::optional<Bytes> l2_sm_read;
  std::optional<Bytes> l2_sm_write;
  std::optional<Bytes> l2_sm_reduction;
  std::optional<double> l2_hit_rate;  ///< percent

  std::optional<Bytes> dram_read;
  std::optional<Bytes> dram_write;

  std::optional<Seconds> duration;
  std::optional<Count> cycles_elapsed;  ///< of the SM that had most
  std::optional<Count> cycles_active;   ///< of the SM that had most
  std::optional<Hertz> clock;

  std::optional<Count> tensor_instructions;       ///< of warps; on an H200 wgmma counts here too, once a warp
  std::optional<Count> wgmma_instructions;        ///< of warps
  std::optional<Count> local_load_instructions;   ///< of warps; not zero when registers spill
  std::optional<Count> local_store_instructions;  ///< of warps
  std::optional<Bytes> local_load;
  std::optional<Bytes> local_store;

  std::vector<NcuMissing> missing;        ///< metrics above without a value, by their first name in ncu
  std::vector<std::string_view> rounded;  ///< metrics printed in too few digits to be exact ("2.28 Gbyte")
};

/// A launch whose counters must not be used.
struct NcuRefusal {
  Count id = 0;
  std::string kernel;
  std::string reason;
};

struct NcuExport {
  NcuOptions options;
  bool counters_denied = false;  ///< the driver refused the counters: ERR_NVGPUCTRPERM
  std::vector<NcuLaunch> launches;
  std::vector<NcuRefusal> refused;
};

/// Reads what `ncu --csv` printed, its raw page (`--page raw`) or one metric a row; `--print-units base` gives whole
/// numbers. A line "# ncu OPTIONS" before the table, added by whoever recorded it, states the options of the run.
/// Refused launches (`ncu_refusal`) stand apart. Where the counters were denied the export may be without launches.
/// Throws InputError that names `origin`, the line, the metric, and what is accepted.
NcuExport read_ncu(std::string_view text, std::string_view origin);

/// Why the counters of `launch` must not be used: it ran for less than 20 us, a figure is impossible, or figures
/// contradict each other by more than 1 % (they come from several replays of the kernel). Absent where nothing is
/// wrong.
std::optional<std::string> ncu_refusal(const NcuLaunch& launch);

/// L2 traffic of the SMs without what the partitions of the L2 exchange: reads, writes and, where collected, reductions
/// from SMs; else the total less the fabric's part. Absent where neither was collected.
std::optional<Bytes> l2_without_fabric(const NcuLaunch& launch);

}  // namespace tilemeter
