// A GPU as the model sees it: capacities and peak rates, each with its unit and its source.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/dtype.hpp"
#include "model/efficiency.hpp"
#include "model/units.hpp"

namespace tilemeter {

/// Units with a peak rate of their own: the fastest matrix instruction (mma.sync, wgmma, tcgen05), mma.sync where it is
/// slower than that, the scalar multiply-add pipe, and the exponential of the special-function unit.
enum class ComputeUnit { tensor, mma, fma, exp };
inline constexpr std::array<ComputeUnit, 4> compute_units = {ComputeUnit::tensor, ComputeUnit::mma, ComputeUnit::fma,
                                                             ComputeUnit::exp};
/// Types that a rate can be stated for.
inline constexpr std::array<DType, 5> rate_types = {DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::fp8};

std::string_view name_of(ComputeUnit unit);
/// "rate.tensor.bf16".
std::string rate_key(ComputeUnit unit, DType type);

/// Bytes of the longest command line that a device file may state.
inline constexpr std::size_t longest_command = 1000;

/// How a quantity was measured; empty where its file does not say.
struct Provenance {
  std::string interval;  ///< half the width of the 95 % interval as a share of the value: "+- 0.3 %"
  std::string clock;     ///< of the SMs meanwhile: "1.755 GHz"
  std::string date;      ///< UTC: "2025-01-31T12:00:00Z"
  std::string command;   ///< the command line, of at most `longest_command` bytes
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// One quantity as it was given: key, value with its unit, and where it comes from.
struct DeviceFact {
  std::string key;
  std::string value;
  std::string source;
  Provenance provenance{};
  friend bool operator==(const DeviceFact&, const DeviceFact&) = default;
};

/// A figure of `tilemeter probe` in the unit of its key (`find_probe_key`).
struct ProbeFigure {
  double value = 0;
  std::optional<double> half_width95;  ///< the figure lies within +- this with 95 % confidence
};

struct Device {
  struct Sm {
    Count count = 0;
    Bytes shared_per_block;  ///< most a block can have, after opting in
    Bytes shared_default;    ///< most a block can have without opting in
    Bytes shared_per_sm;     ///< shared by the resident blocks
    Bytes shared_reserved;   ///< taken by the system from each resident block; 0 below compute capability 8.0
    Count registers = 0;     ///< 32-bit registers of an SM
    Count threads = 0;       ///< resident threads of an SM
    Count blocks = 0;        ///< resident blocks of an SM
  };
  struct L2 {
    Bytes size;
    std::optional<BytesPerSecond> bandwidth;  ///< peak read; unknown where no document states it
  };
  struct Hbm {
    Bytes size;
    BytesPerSecond bandwidth;  ///< data-sheet peak, whatever the memory is called
  };
  struct Clock {
    Hertz boost;                  ///< highest SM clock; fma, exp and fp64 rates are stated at it
    std::optional<Hertz> tensor;  ///< clock of the 16- and 8-bit tensor rates where it is lower
  };
  struct Power {
    Watts limit;
  };

  std::string name;
  std::string arch;  ///< compiler target, such as "sm_90"
  Sm sm;
  L2 l2;
  Hbm hbm;
  Clock clock;
  Power power;
  std::map<std::pair<ComputeUnit, DType>, OpsPerSecond> rates;  ///< as given; `rate` adds the fallback
  std::map<std::string, ProbeFigure, std::less<>> probes;       ///< by key: "probe.l2.latency_near"
  std::map<std::string, Efficiency, std::less<>> fits;          ///< by kernel: what `calibrate` found
  std::vector<DeviceFact> facts;  ///< what the members were read from, in the order of `device_rows`

  /// Dense peak of the whole GPU: FLOP/s, for exp operations/s. mma falls back to tensor. nullopt when unknown.
  std::optional<OpsPerSecond> rate(ComputeUnit unit, DType type) const;
  /// The same, or InputError that names the missing key and the types that have a rate.
  OpsPerSecond require_rate(ComputeUnit unit, DType type) const;
  /// The clock at which that rate is stated.
  Hertz rate_clock(ComputeUnit unit, DType type) const;
  /// Operations of one SM in one clock, when the rate is known: H100, tensor bf16: 989.4e12 / (132 x 1.83e9) = 4096.
  std::optional<double> per_sm_clock(ComputeUnit unit, DType type) const;

  /// Bytes of registers of an SM: 65536 x 4 = 262144 on every shipped device.
  Bytes register_file() const { return Bytes(checked::multiply(sm.registers, 4)); }
  /// Whether a block may ask for `shared` bytes of shared memory.
  bool fits_block(Bytes shared) const { return shared <= sm.shared_per_block; }
  /// Compute capability as major * 10 + minor: 86 for "sm_86", 120 for "sm_120a".
  Count capability() const;
  /// What a block of `shared` bytes takes of its SM: the reserve added, in whole units of 128 B (256 B below compute
  /// capability 8.0; CUDA Toolkit 13.0, cuda_occupancy.h).
  Bytes shared_taken(Bytes shared) const;
  /// Resident blocks by shared memory alone: floor(shared_per_sm / shared_taken(shared)), 1 or more for a block that
  /// fits; 0 when it does not, nullopt when shared memory sets no limit (0 bytes and nothing reserved). `shared` must
  /// not be negative.
  std::optional<Count> blocks_by_shared(Bytes shared) const;
};

/// Names of the shipped devices, in the order of the catalog.
std::vector<std::string_view> device_names();

/// A shipped device by name or unique prefix, in any case; or, for text that ends in ".toml" or contains '/', the file
/// of that name. Throws InputError that begins with `asked_by`: unknown or ambiguous name with the names that exist; or
/// as `parse_device`.
Device load_device(std::string_view name_or_path, std::string_view asked_by = "--device");

/// A device from the text of a device file, or of an overlay: a file whose key `base` names a shipped device, of which
/// it replaces the quantities that it states; `origin` names it in messages. Throws InputError that names origin, key,
/// what was found and what is expected: text that is no TOML, a missing or unknown key, a missing source, a wrong type
/// or unit, a value that no GPU can have.
Device parse_device(std::string_view toml, std::string_view origin);

/// Replaces the quantities that `toml` states (a device file in which every key is optional), checked as a whole. A
/// `base` that it names must be the device's name.
void apply_overlay(Device& device, std::string_view toml, std::string_view origin);

/// Applies `--set KEY=VALUE` options together, so that their order does not matter; of two with one key the last holds.
/// Each key is independent (a clock does not rescale rates), except that shared memory stays consistent: a larger block
/// or reserve raises sm.shared_per_sm, a smaller block lowers sm.shared_default, unless these are set too; their source
/// says so. Throws InputError and leaves the device as it was.
void apply_settings(Device& device, const std::vector<std::string>& settings);
void apply_setting(Device& device, std::string_view setting);

/// Every key in file order with value and source; an optional key without a value reads "unknown". Absent rates are
/// left out.
std::vector<DeviceFact> device_rows(const Device& device);

}  // namespace tilemeter
