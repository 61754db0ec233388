#include "model/probe_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/digits.hpp"
#include "model/quantity.hpp"

namespace tilemeter {
namespace {

constexpr std::array<std::string_view, 4> wgmma_sources = {"ss", "rs", "ss_mn", "rs_mn"};

void add(std::vector<ProbeKey>& keys, const std::string& key, ProbeUnit unit, const std::string& measures) {
  keys.push_back({"probe." + key, unit, measures});
}

void add_memory(std::vector<ProbeKey>& keys) {
  using enum ProbeUnit;
  add(keys, "hbm.read", bytes_per_second, "reading device memory");
  add(keys, "hbm.write", bytes_per_second, "writing device memory");
  add(keys, "hbm.copy", bytes_per_second, "copying device memory, bytes read and written");
  for (const std::string way : {"read", "copy"}) {
    add(keys, "hbm." + way + "_fitted", bytes_per_second, "BW of t0 + bytes / BW, fitted to launches that " + way);
    add(keys, "hbm." + way + "_overhead", seconds, "t0 of that fit");
  }
  for (const Count size : in_flight_sizes()) {
    add(keys, "hbm.in_flight.k" + std::to_string(size), bytes_per_second,
        "reading device memory with " + std::to_string(size) + " KiB of every SM in flight");
  }
  add(keys, "hbm.latency", clocks, "a dependent load that misses the L2");
  add(keys, "l2.read", bytes_per_second, "reading data that the L2 holds");
  add(keys, "l2.read_per_clock", bytes_per_clock, "the same for one SM");
  add(keys, "l2.knee", bytes, "footprint up to which reading keeps 90 % of the L2's speed");
  for (const Count size : footprint_sizes()) {
    add(keys, "l2.footprint.m" + std::to_string(size), bytes_per_second,
        "reading " + std::to_string(size) + " MiB again and again");
  }
  add(keys, "l2.latency", clocks, "a dependent load in a footprint of 15 % of the L2");
  add(keys, "l2.latency_near", clocks, "single loads in footprints of 15 % and 60 % of the L2, the quicker group");
  add(keys, "l2.latency_far", clocks, "the same, the slower group");
  add(keys, "shared.read", bytes_per_clock, "reading shared memory, 16 bytes a thread");
}

void add_compute(std::vector<ProbeKey>& keys) {
  using enum ProbeUnit;
  for (const std::string type : {"fp16", "bf16"}) {
    add(keys, "mma." + type, flops_per_clock, "mma.sync m16n8k16 on " + type + " with sums in fp32");
  }
  add(keys, "mma.latency", clocks, "an mma.sync m16n8k16 that waits for the one before");
  for (const Count n : wgmma_columns()) {
    for (const std::string_view source : wgmma_sources) {
      const std::string a = source.substr(0, 2) == "ss" ? "A from shared memory" : "A from registers";
      const std::string b = source.size() > 2 ? ", B with n innermost" : ", B with k innermost";
      add(keys, "wgmma.bf16.n" + std::to_string(n) + "." + std::string(source), flops_per_clock,
          "wgmma m64n" + std::to_string(n) + "k16 on bf16, " + a + b);
    }
  }
  add(keys, "wgmma.fp16.n256.ss", flops_per_clock,
      "wgmma m64n256k16 on fp16, A from shared memory, B with k innermost");
  add(keys, "exp.fp32", operations_per_clock, "ex2 of the special-function unit");
  add(keys, "fma.fp32", operations_per_clock, "multiply-adds");
  add(keys, "max.fp32", operations_per_clock, "maxima");
  for (const std::string tensor : {"mma", "wgmma"}) {
    for (const std::string scalar : {"exp", "fma", "max"}) {
      add(keys, "overlap." + tensor + "_beside_" + scalar, ratio,
          "time of " + tensor + " beside " + scalar + " that alone takes as long, over its time alone");
      add(keys, "overlap." + scalar + "_beside_" + tensor, ratio,
          "time of " + scalar + " beside " + tensor + " that alone takes as long, over its time alone");
    }
  }
}

void add_costs(std::vector<ProbeKey>& keys) {
  using enum ProbeUnit;
  for (const Count threads : barrier_threads()) {
    add(keys, "barrier.block.t" + std::to_string(threads), clocks,
        "__syncthreads of " + std::to_string(threads) + " threads");
  }
  add(keys, "barrier.hand_over", clocks, "a named barrier on which one warpgroup arrives and another waits");
  add(keys, "launch.stream", seconds, "a kernel that does nothing, launched back to back");
  add(keys, "launch.graph", seconds, "the same as a node of a graph");
  add(keys, "atomic.same_address", operations_per_second, "additions of fp32 to one address");
  add(keys, "atomic.spread", operations_per_second, "additions of fp32, every thread to an address of its own");
  for (const std::string load : {"wgmma", "mma", "fma", "exp", "hbm"}) {
    add(keys, "clock." + load, hertz, "SM clock after a second of " + load);
    add(keys, "power." + load, watts, "power in that second");
  }
}

std::vector<ProbeKey> all_keys() {
  std::vector<ProbeKey> keys;
  add_memory(keys);
  add_compute(keys);
  add_costs(keys);
  return keys;
}

/// Units that no other quantity has: a number and the unit as it stands.
double parse_plain(std::string_view unit, const std::string& text, const std::string& place) {
  const auto refuse = [&] {
    throw InputError(place + " " + in_quotes(text) + ": expected a positive number and the unit " + std::string(unit) +
                     ", such as \"64 " + std::string(unit) + "\"");
  };
  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string::npos || end == 0 || text.substr(end) != " " + std::string(unit)) refuse();
  const double value = text[0] == '.' ? 0 : number_in(text.substr(0, end));
  if (!(value > 0) || !std::isfinite(value)) refuse();
  return value;
}

std::string plain_text(std::string_view unit, double value) {
  const bool small = std::abs(value) < 1e4;
  return (small ? significant_digits(value, 4) : fixed_digits(std::round(value), 0)) + " " + std::string(unit);
}

}  // namespace

const std::vector<Count>& in_flight_sizes() {
  static const std::vector<Count> sizes = {2, 4, 8, 16, 24, 32, 48, 64, 96, 128};
  return sizes;
}
const std::vector<Count>& footprint_sizes() {
  static const std::vector<Count> sizes = {2,  4,  8,  12, 16, 20, 24, 28, 32,  36,
                                           40, 44, 48, 52, 56, 60, 70, 80, 100, 120};
  return sizes;
}
const std::vector<Count>& wgmma_columns() {
  static const std::vector<Count> columns = {8, 16, 32, 64, 96, 128, 192, 256};
  return columns;
}
const std::vector<Count>& barrier_threads() {
  static const std::vector<Count> threads = {128, 256, 512, 1024};
  return threads;
}

std::string_view name_of(ProbeUnit unit) {
  switch (unit) {
    case ProbeUnit::bytes:
      return "B";
    case ProbeUnit::bytes_per_second:
      return "B/s";
    case ProbeUnit::seconds:
      return "s";
    case ProbeUnit::hertz:
      return "Hz";
    case ProbeUnit::watts:
      return "W";
    case ProbeUnit::operations_per_second:
      return "op/s";
    case ProbeUnit::clocks:
      return "clk";
    case ProbeUnit::bytes_per_clock:
      return "B/clk/SM";
    case ProbeUnit::flops_per_clock:
      return "FLOP/clk/SM";
    case ProbeUnit::operations_per_clock:
      return "op/clk/SM";
    case ProbeUnit::ratio:
      return "x";
  }
  return "";
}

const std::vector<ProbeKey>& probe_keys() {
  static const std::vector<ProbeKey> keys = all_keys();
  return keys;
}

const ProbeKey* find_probe_key(std::string_view key) {
  const std::vector<ProbeKey>& keys = probe_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const ProbeKey& k) { return k.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

std::string probe_text(ProbeUnit unit, double value) {
  switch (unit) {
    case ProbeUnit::bytes:
      return exact_text(Bytes(static_cast<Count>(std::llround(value))));
    case ProbeUnit::bytes_per_second:
      return to_text(BytesPerSecond{value});
    case ProbeUnit::seconds:
      return to_text(Seconds{value});
    case ProbeUnit::hertz:
      return to_text(Hertz{value});
    case ProbeUnit::watts:
      return to_text(Watts{value});
    case ProbeUnit::operations_per_second:
      return operations_text(OpsPerSecond{value});
    default:
      return plain_text(name_of(unit), value);
  }
}

double parse_probe(ProbeUnit unit, const std::string& text, const std::string& place) {
  switch (unit) {
    case ProbeUnit::bytes:
      return static_cast<double>(parse_bytes(text, place).value());
    case ProbeUnit::bytes_per_second:
      return parse_bandwidth(text, place).value;
    case ProbeUnit::seconds:
      return parse_time(text, place).value;
    case ProbeUnit::hertz:
      return parse_frequency(text, place).value;
    case ProbeUnit::watts:
      return parse_power(text, place).value;
    case ProbeUnit::operations_per_second:
      return parse_operations(text, place).value;
    default:
      return parse_plain(name_of(unit), text, place);
  }
}

}  // namespace tilemeter
