#include "model/device_schema.hpp"

#include <algorithm>

#include "model/probe_keys.hpp"
#include "model/quantity.hpp"
#include "model/suggest.hpp"

namespace tilemeter {
namespace {

using Read = std::function<void(Device&, const Reading&)>;

[[noreturn]] void refuse_range(const Reading& reading, const std::string& low, const std::string& high) {
  throw InputError(reading.place + " " + in_quotes(reading.value) + ": no GPU has this; expected " + low + " to " +
                   high);
}

// Limits of the plausible: an order of magnitude or more beyond any GPU built, on either side.
template <class Quantity, class Format>
Quantity within(Quantity value, Quantity low, Quantity high, const Reading& reading, Format format) {
  if (value < low || value > high) refuse_range(reading, format(low), format(high));
  return value;
}

template <class Member>
Read count(Member member, Count high) {
  return [member, high](Device& device, const Reading& reading) {
    const auto format = [](Count limit) { return std::to_string(limit); };
    member(device) = within(parse_count(reading.value, reading.place), Count{1}, high, reading, format);
  };
}

template <class Member>
Read bytes(Member member, Bytes low, Bytes high, ByteUnits units = ByteUnits::binary) {
  return [=](Device& device, const Reading& reading) {
    const Zero zero = low == Bytes(0) ? Zero::allowed : Zero::refused;
    member(device) = within(parse_bytes(reading.value, reading.place, units, zero), low, high, reading, exact_text);
  };
}

template <class Member>
Read bandwidth(Member member, BytesPerSecond high) {
  return [=](Device& device, const Reading& reading) {
    const auto format = [](BytesPerSecond limit) { return to_text(limit); };
    member(device) = within(parse_bandwidth(reading.value, reading.place), BytesPerSecond{1e9}, high, reading, format);
  };
}

template <class Member>
Read frequency(Member member) {
  return [=](Device& device, const Reading& reading) {
    const auto format = [](Hertz limit) { return to_text(limit); };
    member(device) = within(parse_frequency(reading.value, reading.place), Hertz{1e8}, Hertz{1e10}, reading, format);
  };
}

/// Kept as a fact: `sustained_share` reads it there.
void read_sustained(Device&, const Reading& reading) { parse_share(reading.value, reading.place); }

void read_power(Device& device, const Reading& reading) {
  const auto format = [](Watts limit) { return to_text(limit); };
  device.power.limit = within(parse_power(reading.value, reading.place), Watts{1}, Watts{1e5}, reading, format);
}

void read_name(Device& device, const Reading& reading) {
  constexpr std::size_t longest = 64;
  const bool printable = std::all_of(reading.value.begin(), reading.value.end(),
                                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
  if (!printable || reading.value.size() > longest || reading.value.find_first_not_of(' ') == std::string::npos) {
    throw InputError(reading.place + " " + in_quotes(reading.value) + ": expected a name of 1 to 64 printable bytes");
  }
  device.name = reading.value;
}

void read_arch(Device& device, const Reading& reading) {
  if (!is_compiler_target(reading.value)) {
    throw InputError(reading.place + " " + in_quotes(reading.value) +
                     ": expected a compiler target, such as \"sm_90\" or \"sm_90a\"");
  }
  device.arch = reading.value;
}

Read rate(ComputeUnit unit, DType type) {
  return [=](Device& device, const Reading& reading) {
    const bool exponential = unit == ComputeUnit::exp;
    const auto parse = exponential ? parse_operations : parse_flops;
    const auto format = [&](OpsPerSecond limit) { return exponential ? operations_text(limit) : flops_text(limit); };
    device.rates[{unit, type}] =
        within(parse(reading.value, reading.place), OpsPerSecond{1e9}, OpsPerSecond{1e18}, reading, format);
  };
}

Read probe(const ProbeKey& key) {
  return [&key](Device& device, const Reading& reading) {
    device.probes[key.key].value = parse_probe(key.unit, reading.value, reading.place);
  };
}

constexpr const char* size_example = "a byte size in B, KiB, MiB or GiB, such as \"227 KiB\"";
constexpr const char* count_example = "a whole number, such as 132";

std::vector<KeyRule> fixed_rules() {
  constexpr Bytes kib(Count{1} << 10), gib(Count{1} << 30), tib(Count{1} << 40);
  const Presence required = Presence::required;
  const Spelling text = Spelling::text, whole = Spelling::whole_number;
  const auto shared = [&](auto member) { return bytes(member, kib, tib); };
  return {
      {"name", required, text, "text, such as \"h200\"", read_name},
      {"arch", required, text, "a compiler target, such as \"sm_90\"", read_arch},
      {"sm.count", required, whole, count_example, count([](Device& d) -> auto& { return d.sm.count; }, 100'000)},
      {"sm.shared_per_block", required, text, size_example,
       shared([](Device& d) -> auto& { return d.sm.shared_per_block; })},
      {"sm.shared_default", required, text, size_example,
       shared([](Device& d) -> auto& { return d.sm.shared_default; })},
      {"sm.shared_per_sm", required, text, size_example, shared([](Device& d) -> auto& { return d.sm.shared_per_sm; })},
      {"sm.shared_reserved", required, text, size_example,
       bytes([](Device& d) -> auto& { return d.sm.shared_reserved; }, Bytes(0), gib)},
      {"sm.registers", required, whole, count_example,
       count([](Device& d) -> auto& { return d.sm.registers; }, 100'000'000)},
      {"sm.threads", required, whole, count_example, count([](Device& d) -> auto& { return d.sm.threads; }, 100'000)},
      {"sm.blocks", required, whole, count_example, count([](Device& d) -> auto& { return d.sm.blocks; }, 100'000)},
      {"l2.size", required, text, "a byte size in B, KiB, MiB or GiB, such as \"50 MiB\"",
       bytes([](Device& d) -> auto& { return d.l2.size; }, kib * 64, tib)},
      {"l2.bandwidth", Presence::optional, text, "a bandwidth, such as \"7.2 TB/s\"",
       bandwidth([](Device& d) -> auto& { return d.l2.bandwidth; }, BytesPerSecond{1e15})},
      {"hbm.size", required, text, "a byte size, such as \"80 GB\"",
       bytes([](Device& d) -> auto& { return d.hbm.size; }, gib, tib * 128, ByteUnits::binary_or_decimal)},
      {"hbm.bandwidth", required, text, "a bandwidth, such as \"3.35 TB/s\"",
       bandwidth([](Device& d) -> auto& { return d.hbm.bandwidth; }, BytesPerSecond{2e14})},
      {"hbm.sustained", Presence::optional, text, "a share of the peak, such as \"82 %\"", read_sustained},
      {"clock.boost", required, text, "a frequency, such as \"1.98 GHz\"",
       frequency([](Device& d) -> auto& { return d.clock.boost; })},
      {"clock.tensor", Presence::optional, text, "a frequency, such as \"1.83 GHz\"",
       frequency([](Device& d) -> auto& { return d.clock.tensor; })},
      {"power.limit", required, text, "a power, such as \"700 W\"", read_power},
  };
}

/// The rates without which nothing can be predicted.
bool is_required(ComputeUnit unit, DType type) {
  return (unit == ComputeUnit::tensor && type == DType::fp16) ||
         ((unit == ComputeUnit::fma || unit == ComputeUnit::exp) && type == DType::fp32);
}

std::vector<KeyRule> all_rules() {
  std::vector<KeyRule> rules = fixed_rules();
  for (const ComputeUnit unit : compute_units) {
    for (const DType type : rate_types) {
      rules.push_back({.key = rate_key(unit, type),
                       .presence = is_required(unit, type) ? Presence::required : Presence::optional,
                       .spelling = Spelling::text,
                       .expected = unit == ComputeUnit::exp ? "a rate, such as \"3.87 Top/s\""
                                                            : "a dense rate, such as \"989.4 TFLOP/s\"",
                       .read = rate(unit, type)});
    }
  }
  rules.push_back({.key = "rate.tensor.int8",
                   .presence = Presence::optional,
                   .spelling = Spelling::text,
                   .expected = "a dense rate, an operation as a FLOP, such as \"1978.9 TFLOP/s\"",
                   .read = rate(ComputeUnit::tensor, DType::u8)});
  for (const ProbeKey& key : probe_keys()) {
    rules.push_back({.key = key.key,
                     .presence = Presence::optional,
                     .spelling = Spelling::text,
                     .expected = "a figure of a probe in " + std::string(name_of(key.unit)) + ": " + key.measures,
                     .read = probe(key)});
  }
  return rules;
}

}  // namespace

bool is_compiler_target(std::string_view text) {
  if (text.substr(0, 3) != "sm_") return false;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 3), text.size());
  const std::string_view suffix = text.substr(end);
  return (end == 5 || end == 6) && (suffix.empty() || suffix == "a" || suffix == "f");
}

const std::vector<KeyRule>& key_rules() {
  static const std::vector<KeyRule> rules = all_rules();
  return rules;
}

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  for (const KeyRule& rule : key_rules()) names.emplace_back(rule.key);
  return names;
}

KeyRule fit_rule(const FitKey& key) {
  const EfficiencyFigure* figure = key.figure;
  const auto read = [kernel = key.kernel, figure](Device& device, const Reading& reading) {
    const double value = parse_probe(figure->unit, reading.value, reading.place);
    const auto format = [&](double limit) { return probe_text(figure->unit, limit); };
    auto& fit = device.fits.try_emplace(kernel, expected_efficiency()).first->second;
    fit.*figure->member = within(value, figure->low, figure->high, reading, format);
  };
  return {
      .key = fit_key(key.kernel, figure->name),
      .presence = Presence::optional,
      .spelling = Spelling::text,
      .expected = "a figure of a fit in " + std::string(name_of(figure->unit)) + ": " + std::string(figure->meaning),
      .read = read};
}

void refuse_fit_key(std::string_view key, std::string_view origin) {
  std::vector<std::string_view> names;
  for (const EfficiencyFigure& figure : efficiency_figures()) names.push_back(figure.name);
  throw InputError(std::string(origin) + ": unknown key " + in_quotes(key) +
                   "; keys of fits are fit.KERNEL.FIGURE with one of the figures: " + joined(names));
}

KeyRule rule_of(std::string_view key, std::string_view origin) {
  if (is_below_fit(key)) {
    const auto fit = parse_fit_key(key);
    if (!fit) refuse_fit_key(key, origin);
    return fit_rule(*fit);
  }
  for (const KeyRule& rule : key_rules()) {
    if (rule.key == key) return rule;
  }
  // Of the probes' many keys only those are listed that may be meant.
  std::vector<std::string_view> shown;
  for (const std::string_view name : key_names()) {
    if (is_below_probe(name) == is_below_probe(key)) shown.push_back(name);
  }
  throw InputError(std::string(origin) + ": unknown key " + in_quotes(key) + suggestion(key, shown) +
                   "; the keys are: " + joined(shown));
}

}  // namespace tilemeter
