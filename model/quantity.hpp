// Quantities as people write them, "227 KiB" or "4.8 TB/s": text to typed value, and back.
// A quantity is digits, at most one decimal point, optional blanks and one unit. Signs, exponents, digit separators and
// anything after the unit are refused. Every parser throws InputError that starts with `what`, the option or key at
// fault.
#pragma once

#include <string>
#include <string_view>

#include "model/units.hpp"

namespace tilemeter {

/// Suffixes that a byte size may carry: B KiB MiB GiB (on-chip sizes), or also kB MB GB TB (sizes of data sheets).
enum class ByteUnits { binary, binary_or_decimal };
enum class Zero { refused, allowed };

/// A size in bytes, exact: "1.5 KiB" is 1536, "0.1 KiB" is refused. Throws FigureOverflow past 2^63 - 1.
Bytes parse_bytes(std::string_view text, std::string_view what, ByteUnits units = ByteUnits::binary,
                  Zero zero = Zero::refused);
/// A whole number of at least 1, without a unit.
Count parse_count(std::string_view text, std::string_view what);
/// MB/s GB/s TB/s PB/s, decimal.
BytesPerSecond parse_bandwidth(std::string_view text, std::string_view what);
/// GFLOP/s TFLOP/s PFLOP/s.
OpsPerSecond parse_flops(std::string_view text, std::string_view what);
/// Mop/s Gop/s Top/s Pop/s, for operations that are not multiplies and adds.
OpsPerSecond parse_operations(std::string_view text, std::string_view what);
/// kHz MHz GHz.
Hertz parse_frequency(std::string_view text, std::string_view what);
/// W kW.
Watts parse_power(std::string_view text, std::string_view what);

/// ns us ms s.
Seconds parse_time(std::string_view text, std::string_view what);
/// "82 %" or "0.82": more than 0, at most 1.
double parse_share(std::string_view text, std::string_view what);

/// The largest binary unit with one decimal: "99.0 KiB"; plain bytes below 1 KiB.
std::string to_text(Bytes size);
/// The largest binary unit that leaves a whole number: 1677721600 is "1600 MiB", 65538 is "65538 B".
std::string exact_text(Bytes size);
/// Four significant digits with a decimal prefix: "3.35 TB/s", "1.755 GHz", "700 W".
std::string to_text(BytesPerSecond rate);
std::string to_text(Hertz frequency);
std::string to_text(Watts power);
/// "12.8 us", "0 s".
std::string to_text(Seconds time);
/// The rate in binary units with four significant digits: 3.35 TB/s is "3.047 TiB/s".
std::string binary_text(BytesPerSecond rate);
/// "989.4 TFLOP/s".
std::string flops_text(OpsPerSecond rate);
/// "3.87 Top/s".
std::string operations_text(OpsPerSecond rate);

/// `text` with exactly one blank between number and unit; unchanged when it does not start with a number.
std::string spaced(std::string_view text);
/// `text` in quotes for a message: control characters shown as '?', cut after 60 bytes.
std::string in_quotes(std::string_view text);

}  // namespace tilemeter
