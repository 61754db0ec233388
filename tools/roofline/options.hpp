// What the views of `tilemeter roofline` read from the command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/number_format.hpp"
#include "model/problem.hpp"
#include "model/roofline.hpp"
#include "tools/command.hpp"

namespace tilemeter::roofline {

/// The options of the command that no other has, views first.
std::span<const OptionSpec> own_option_specs();

/// What stands for a missing --device.
enum class NoDevice { refused, all };

/// The devices of --device, each changed by every --set. Throws InputError as `load_device`, and for a missing --device
/// where it is refused.
std::vector<Device> devices_of(const Arguments& arguments, NoDevice fallback);

/// A roofline at its peak, and with device memory at the share that transfers sustain, where that is known:
/// --sustained, else the device's hbm.sustained. Both carry the floor of --floor.
struct Rooflines {
  Roofline peak;
  std::optional<Roofline> sustained;
  std::optional<double> share;
};
Rooflines rooflines_of(const Device& device, DType math, const Arguments& arguments);

/// --time, when it is given.
std::optional<Seconds> measured_time(const Arguments& arguments);

/// Where the sustained shares of these devices come from, and what the floor is: one sentence each.
std::vector<std::string> bound_notes(const std::vector<Device>& devices, const Arguments& arguments);

/// --math-dtype (fp64 fp32 fp16 bf16 fp8 int8), or `fallback`.
DType math_type_of(const Arguments& arguments, DType fallback);
/// The value of a type option such as --dtype, or `fallback`.
DType operand_type_of(const Arguments& arguments, std::string_view option, DType fallback);

/// A whole number of at least `minimum`, or `fallback`. Without a fallback the option is needed, for `who`.
Count count_of(const Arguments& arguments, std::string_view option, Count minimum, std::optional<Count> fallback,
               std::string_view who = {});

/// The storage formats of a comma-separated option, with --group-size, --scale-dtype and --zero-point-dtype applied to
/// the integer ones.
std::vector<NumberFormat> formats_of(const Arguments& arguments, std::string_view option, std::string_view fallback);

/// "int4, groups of 128 with fp16 scales".
std::string format_text(const NumberFormat& format);

}  // namespace tilemeter::roofline
