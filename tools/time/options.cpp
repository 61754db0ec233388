#include "tools/time/options.hpp"

#include <algorithm>
#include <array>

#include "model/execution_values.hpp"
#include "model/quantity.hpp"
#include "model/register_use.hpp"
#include "tools/options/choice.hpp"

namespace tilemeter {
namespace {

constexpr std::array time_specs = {
    OptionSpec{"--clock", "HZ", "of the SMs (\"1.6 GHz\", 1600000000); default the device's for the matrix path"},
    OptionSpec{"--matrix", "scalar|mma|wgmma", "what multiplies; default wgmma for flash3 on Hopper, mma elsewhere"}
        .among(known_names<matrix_paths>),
    OptionSpec{"--overlap", "serial|pipelined",
               "operations wait for the one before, or for their tiles; default pipelined"}
        .among(known_names<overlaps>),
    OptionSpec{"--scheduling", "WAY", "grid, static-persistent, forth-and-back or counter: how blocks get to SMs"}
        .among(known_names<schedulings>),
    OptionSpec{"--row-order", "ORDER", "ascending, descending or longest-first: which blocks of a stream come first"}
        .among(known_names<row_orders>),
    OptionSpec{"--fastest", "blocks|streams", "which index runs fastest over the blocks of a launch"}.among(
        known_names<fastest_indices>),
    OptionSpec{"--tails", "predicated|padded", "what a tile at the end of a tensor moves"}.among(
        known_names<tail_ways>),
    OptionSpec{"--blocks-per-sm", "R", "resident blocks of an SM; default by occupancy"},
    OptionSpec{
        "--warps", "W",
        "threads of a block / 32, producers included; default 4, 8 where the accumulators of 4 would spill, 8 or "
        "12 for flash3 on Hopper"},
};

constexpr Count hopper = 90;
constexpr Count warpgroup_warps = 4;

template <class Value, std::size_t n>
void choose(const Arguments& arguments, std::string_view option, const std::array<Value, n>& values, Value& value) {
  const auto text = arguments.find(option);
  if (!text) return;
  std::array<Choice<Value>, n> choices{};
  std::transform(values.begin(), values.end(), choices.begin(), [](Value each) {
    return Choice<Value>{name_of(each), each};
  });
  value = parse_choice(option, *text, choices);
}

/// A frequency with its unit, or a number of hertz.
Hertz parse_clock(const std::string& text) {
  constexpr double slowest = 1e6;
  constexpr double fastest = 1e11;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  Hertz clock{};
  try {
    clock = digits ? Hertz{static_cast<double>(parse_count("--clock", text, 1))} : parse_frequency(text, "--clock");
  } catch (const InputError&) {  // 0 is out of range, too
  }
  if (clock.value >= slowest && clock.value <= fastest) return clock;
  throw InputError(quote("--clock", text) +
                   ": expected 1 MHz to 100 GHz, as a number of hertz or with a unit (\"1.98 GHz\")");
}

/// Whole warpgroups multiply where some warps only load.
void set_warps(const Arguments& arguments, Execution& execution) {
  const bool producers = execution.threads > execution.math_warps * warp_threads;
  const Count warps = parse_count("--warps", *arguments.find("--warps"), 1, most_block_threads / warp_threads);
  execution.threads = warps * warp_threads;
  execution.math_warps = producers && warps > warpgroup_warps ? warps - warpgroup_warps : warps;
}

void require_path(const Execution& execution, const Device& device) {
  if (execution.matrix != MatrixPath::wgmma || device.capability() == hopper) return;
  const std::string asked = execution.kernel.empty() ? "--matrix wgmma: " : "--kernel " + execution.kernel + ": ";
  throw InputError(asked + device.name + " is " + device.arch +
                   ", and wgmma is an instruction of sm_90; choose mma or scalar");
}

}  // namespace

std::span<const OptionSpec> execution_option_specs() { return time_specs; }

Execution changed_execution(Execution execution, const Arguments& arguments, const Device& device) {
  choose(arguments, "--matrix", matrix_paths, execution.matrix);
  choose(arguments, "--overlap", overlaps, execution.overlap);
  choose(arguments, "--scheduling", schedulings, execution.scheduling);
  choose(arguments, "--row-order", row_orders, execution.rows);
  choose(arguments, "--fastest", fastest_indices, execution.fastest);
  choose(arguments, "--tails", tail_ways, execution.tails);
  require_path(execution, device);
  if (const auto clock = arguments.find("--clock")) execution.clock = parse_clock(*clock);
  if (const auto blocks = arguments.find("--blocks-per-sm")) {
    execution.blocks_per_sm = parse_count("--blocks-per-sm", *blocks, 1, device.sm.blocks);
  }
  if (arguments.has("--warps")) set_warps(arguments, execution);
  return execution;
}

}  // namespace tilemeter
