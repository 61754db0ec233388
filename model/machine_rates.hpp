// What an SM and the memories behind it do in a clock while a kernel runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/device.hpp"
#include "model/execution.hpp"

namespace tilemeter {

/// One figure of the time model and where it comes from: a key of the device, or a default that no document or probe of
/// the device states.
struct RateSource {
  std::string name;  ///< "shared memory"
  double value = 0;
  std::string unit;  ///< "B/clk/SM"
  std::string from;  ///< "probe.shared.read", "default: ..."
};

/// Clocks lost between the matrix path and the scalar pipes, by pipe.
struct Interference {
  double exp = 0;
  double fma = 0;
  double alu = 0;
};

/// Rates of one SM per clock of its own, and of the memories for the whole GPU.
struct MachineRates {
  Count sms = 1;
  double clock_hz = 1e9;
  double tensor = 0;                ///< FLOP/clk/SM of the matrix path
  double exp = 0;                   ///< operations/clk/SM
  double fma = 0;                   ///< multiply-adds (or adds, or multiplies)/clk/SM
  double alu = 0;                   ///< maxima, conversions/clk/SM
  double shared = 0;                ///< B/clk/SM
  double port = 0;                  ///< most B/clk that one SM gets from the L2
  double l2 = 0;                    ///< B/s, whole GPU
  double hbm = 0;                   ///< B/s, whole GPU: what large transfers sustain
  double l2_latency = 0;            ///< clk
  double hbm_latency = 0;           ///< clk
  Interference stalls_tensor{};     ///< clocks that the matrix path loses for a clock of each scalar pipe beside it
  Interference tensor_stalls{};     ///< clocks that each scalar pipe loses for a clock of the matrix path beside it
  double launch = 0;                ///< s before the first block of a launch
  double block_start = 0;           ///< s between the first blocks of an SM and of the next, when a launch begins
  double barrier = 0;               ///< clk of a barrier of the block
  Bytes l2_capacity{};              ///< that data of its own can use
  std::optional<Efficiency> fit{};  ///< what the kernel was found to reach of these rates
  std::vector<RateSource> sources;
};

/// The rates of `device` for a kernel of `execution` that multiplies `dtype`. Probes' figures where the device has
/// them, data-sheet rates else, and stated defaults last. Throws InputError where the matrix path has no rate for the
/// type.
MachineRates machine_rates(const Device& device, const Execution& execution, DType dtype);

}  // namespace tilemeter
