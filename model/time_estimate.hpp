// How long a computation takes, in closed form: waves of blocks, each a prologue, steps, and an epilogue, no faster
// than the memories behind the SMs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "model/launch_blocks.hpp"
#include "model/on_chip.hpp"
#include "model/reuse.hpp"
#include "model/time_bounds.hpp"
#include "model/waves.hpp"

namespace tilemeter {

/// A kernel launch with what all of its blocks ask for together, over all of its `times`.
struct KernelWork {
  KernelLaunch launch;
  UnitAmounts amounts;
  Bytes hbm{};
  Count resident = 1;    ///< blocks of an SM
  DramEstimate dram{};   ///< what the L2 lets through, where the traffic of each kernel is known
  Bytes ends{};          ///< that all blocks read before their first product and write behind their last
  double cut_tiles = 0;  ///< visited tiles of all blocks that a mask cuts
  /// Clocks that the block with most work takes with an SM to itself, from its first load to its last store, where its
  /// ops were looked at.
  std::optional<double> alone{};
};

/// Clocks of one block of a kernel on an SM.
struct StepEstimate {
  double unit = 0;   ///< a step's time on the unit that it uses most: what each of several resident blocks adds
  double chain = 0;  ///< a step's operations that wait for each other: what a block alone takes
  double fixed = 0;  ///< prologue and epilogue: first load, last store
  double cut = 0;    ///< for a tile that a mask cuts, beside its step, where a fit says so
};

struct LaunchEstimate {
  std::string kernel;
  Count times = 1;
  std::optional<WaveShape> waves;    ///< absent where the blocks are not known
  std::optional<StepEstimate> step;  ///< likewise
  double imbalance = 1;              ///< work of the SM that has most over that of an SM
  double seconds = 0;                ///< launches included
};

/// What the seconds are: an estimate, a lower bound because SMs are idle, or launch overhead for the most part.
enum class TimeKind { estimate, lower_bound, launch_bound };
std::string_view name_of(TimeKind kind);

struct TimeEstimate {
  double seconds = 0;
  double low = 0;   ///< launches, and the largest bound of a single resource
  double high = 0;  ///< launches, and the sum of the bounds on the SM with most work: nothing overlaps
  TimeKind kind = TimeKind::estimate;
  TimeBounds bounds{};
  double floor = 0;  ///< launches alone: the time of no work
  std::vector<LaunchEstimate> launches;
  std::vector<std::string> notes;
};

/// A time below this is set by the launch rather than by the work: 5 us.
inline constexpr double launch_bound_seconds = 5e-6;

/// Where a kernel's blocks are known: launch + max(schedule of its blocks, L2 bound, HBM bound), a block being fixed +
/// tiles x step and a step max(resident x unit, chain). Else launch + the largest bound, with a note; so too for the
/// kernels of algorithms without tiles (`standard`), which use the chip without limit. Kernels follow each other.
TimeEstimate time_estimate(std::string_view algorithm, const Case& point, const Execution& execution,
                           const MachineRates& rates, const std::vector<KernelWork>& kernels);

/// The kernels of `point` in closed form, with everything that `work` and `hbm` say put down to the first.
std::vector<KernelWork> kernel_works(std::string_view algorithm, const Case& point, const Execution& execution,
                                     const Device& device, const Work& work, Bytes hbm);

/// Forward attention that streams keys past a query tile: the algorithms with a `streaming_step`.
bool streams_keys(std::string_view algorithm);

/// Whether the kernels of `algorithm` have tiles, and so blocks of a size that is more than a way of writing them down.
bool has_blocks(std::string_view algorithm);

/// Blocks of the kernel with these tiles that an SM holds: `execution.blocks_per_sm`, or by occupancy; at least 1.
Count resident_blocks(const std::vector<OnChipTile>& tiles, const Execution& execution, const Device& device);

/// One step of a streaming forward pass in clocks, for a whole tile, on an SM that holds up to `resident` blocks.
StepEstimate streaming_step(std::string_view algorithm, const Case& point, const Execution& execution,
                            const MachineRates& rates, Count resident = 1);

/// Peak of `device` for `dtype` at `clock`: SMs x FLOP/clk x clock. A100: 108 x 2048 x 1.41 GHz is 311.9 TFLOP/s. Of
/// the tensor pipe, or of the fma pipe where there is none for the type; unknown where neither is stated.
std::optional<OpsPerSecond> peak_at(const Device& device, DType dtype, Hertz clock);

}  // namespace tilemeter
