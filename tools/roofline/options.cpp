#include "tools/roofline/options.hpp"

#include <algorithm>
#include <array>

#include "model/kv_cache.hpp"
#include "model/quantity.hpp"
#include "tools/options/device.hpp"
#include "tools/options/text.hpp"
#include "tools/options/types.hpp"
#include "tools/output/number.hpp"

namespace tilemeter::roofline {
namespace {

constexpr std::array<Choice<DType>, 6> math_words = {{{"fp64", DType::fp64},
                                                      {"fp32", DType::fp32},
                                                      {"fp16", DType::fp16},
                                                      {"bf16", DType::bf16},
                                                      {"fp8", DType::fp8},
                                                      {"int8", DType::u8}}};

std::vector<std::string_view> known_model_names() {
  std::vector<std::string_view> names;
  for (const ModelShape& model : known_models()) names.push_back(model.name);
  names.push_back("custom");
  return names;
}

constexpr std::array specs = {
    OptionSpec{"--critical-batch", "", "view: tokens from which a pass over weights is bound by arithmetic"},
    OptionSpec{"--decode", "", "view: intensity of a decoding step over --seq-k cached keys"},
    OptionSpec{"--kv-cache", "MODEL", "view: sequences of --tokens that fit beside the weights; or custom"}.among(
        known_model_names),
    OptionSpec{"--fusion", "", "view: what fusing --ops elementwise operations saves; softmax by passes"},
    OptionSpec{"--flops", "F", "view: one operation of F FLOPs and --bytes; also its share of each roof"},
    OptionSpec{"--bytes", "B", "bytes that the operation moves through device memory"},
    OptionSpec{"--time", "TIME", "a measured time (\"0.545 ms\"): also prints the rates reached"},
    OptionSpec{"--sustained", "SHARE",
               "share of the memory's peak (0.82, \"82 %\"); default the device's hbm.sustained"},
    OptionSpec{"--floor", "TIME", "launch and latency, added once to every time; default none"},
    OptionSpec{"--math-dtype", "TYPE", "type of the arithmetic, also int8; default --dtype"}.among(
        known_words<math_words>),
    OptionSpec{"--weight-dtype", "TYPE,...", "stored weights: fp64 fp32 fp16 bf16 fp8 int8 int4; default bf16"}.among(
        number_format_names),
    OptionSpec{"--group-size", "G", "weights of int8 and int4 that share a scale"},
    OptionSpec{"--scale-dtype", "TYPE", "type of that scale; default fp16"}.among(number_format_names),
    OptionSpec{"--zero-point-dtype", "TYPE", "type of a group's zero point; default none"}.among(number_format_names),
    OptionSpec{"--d-in", "N", "columns of the weight matrix: also counts activations, with --d-out"},
    OptionSpec{"--d-out", "N", "rows of the weight matrix"},
    OptionSpec{"--activation-dtype", "TYPE", "inputs and outputs of the layer; default bf16"}.among(
        number_format_names),
    OptionSpec{"--tokens", "N", "tokens of a sequence in the cache"},
    OptionSpec{"--layers", "N", "layers of a custom model, with --kv-heads, --head-dim, --parameters"},
    OptionSpec{"--parameters", "N", "weights of a custom model"},
    OptionSpec{"--cache-dtype", "TYPE,...", "stored keys and values; default bf16"}.among(number_format_names),
    OptionSpec{"--memory", "SIZE", "memory for weights and cache (80GB, 80GiB); default the device's hbm.size"},
    OptionSpec{"--reserve", "SIZE", "memory kept free for activations; default 0 B"},
    OptionSpec{"--ops", "K", "elementwise operations in a chain; default 3"},
    OptionSpec{"--length", "N", "elements of the chain, or of the softmax row"},
    OptionSpec{"--side-elements", "N,...", "other inputs of the operations, one size each; default none"},
};

std::optional<Grouping> grouping_of(const Arguments& arguments) {
  const auto size = arguments.find("--group-size");
  for (const std::string_view option : {"--scale-dtype", "--zero-point-dtype"}) {
    if (!size && arguments.has(option)) {
      throw InputError(quote(option, *arguments.find(option)) + " needs --group-size G");
    }
  }
  if (!size) return std::nullopt;
  Grouping grouping{.size = parse_count("--group-size", *size, 1)};
  grouping.scale_bits = number_format("--scale-dtype", arguments.find("--scale-dtype").value_or("fp16")).bits;
  if (const auto zero = arguments.find("--zero-point-dtype")) {
    grouping.zero_bits = number_format("--zero-point-dtype", *zero).bits;
  }
  return grouping;
}

bool is_integer(const NumberFormat& format) { return format.name.starts_with("int"); }

std::string percent(double share) { return fixed(share * 100, 0) + " %"; }

std::string share_source(const Device& device) {
  for (const DeviceFact& fact : device.facts) {
    if (fact.key == "hbm.sustained") return fact.source;
  }
  return "";
}

std::string floor_note(const Arguments& arguments) {
  const auto floor = arguments.find("--floor");
  if (!floor) {
    return "times are lower bounds, max(FLOPs / peak, bytes / bandwidth); launch and latency are not in them "
           "(--floor adds them)";
  }
  return "times are lower bounds: a floor of " + to_text(parse_time(*floor, "--floor")) +
         ", once, + max(FLOPs / peak, bytes / bandwidth)";
}

std::string sustained_note(const Device& device, const Arguments& arguments) {
  if (const auto given = arguments.find("--sustained")) {
    return "sustained: device memory at " + percent(parse_share(*given, "--sustained")) + " of its peak (--sustained)";
  }
  const auto share = sustained_share(device);
  if (!share) return "sustained: unknown for " + device.name + "; state it with --sustained SHARE";
  return "sustained: device memory of " + device.name + " at " + percent(*share) + " of its peak; " +
         share_source(device);
}

}  // namespace

std::span<const OptionSpec> own_option_specs() { return specs; }

std::vector<Device> devices_of(const Arguments& arguments, NoDevice fallback) {
  const auto given = arguments.find("--device");
  const std::vector<std::string> settings = device_settings(arguments);
  if (!given && !settings.empty()) throw InputError("--set " + settings.front() + " needs --device");
  std::vector<Device> devices;
  if (given) {
    for (const std::string_view name : list_items("--device", *given)) devices.push_back(load_device(name));
  } else if (fallback == NoDevice::all) {
    for (const std::string_view name : device_names()) devices.push_back(load_device(name));
  } else {
    throw InputError("roofline needs --device NAME here; `tilemeter devices` lists the names");
  }
  for (Device& device : devices) apply_settings(device, settings);
  return devices;
}

Rooflines rooflines_of(const Device& device, DType math, const Arguments& arguments) {
  Rooflines rooflines{.peak = roofline_of(device, math), .sustained = {}, .share = sustained_share(device)};
  if (const auto floor = arguments.find("--floor")) rooflines.peak.floor = parse_time(*floor, "--floor");
  if (const auto given = arguments.find("--sustained")) rooflines.share = parse_share(*given, "--sustained");
  if (rooflines.share) rooflines.sustained = at_share(rooflines.peak, *rooflines.share);
  return rooflines;
}

std::optional<Seconds> measured_time(const Arguments& arguments) {
  const auto given = arguments.find("--time");
  if (!given) return std::nullopt;
  return parse_time(*given, "--time");
}

std::vector<std::string> bound_notes(const std::vector<Device>& devices, const Arguments& arguments) {
  std::vector<std::string> notes = {floor_note(arguments)};
  for (const Device& device : devices) {
    std::string note = sustained_note(device, arguments);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

DType math_type_of(const Arguments& arguments, DType fallback) {
  const auto given = arguments.find("--math-dtype");
  return given ? parse_choice("--math-dtype", *given, math_words) : fallback;
}

DType operand_type_of(const Arguments& arguments, std::string_view option, DType fallback) {
  const auto given = arguments.find(option);
  return given ? parse_choice(option, *given, operand_types) : fallback;
}

Count count_of(const Arguments& arguments, std::string_view option, Count minimum, std::optional<Count> fallback,
               std::string_view who) {
  if (const auto given = arguments.find(option)) return parse_count(option, *given, minimum);
  if (!fallback) throw InputError("roofline " + std::string(who) + " needs " + std::string(option) + " N");
  return *fallback;
}

std::vector<NumberFormat> formats_of(const Arguments& arguments, std::string_view option, std::string_view fallback) {
  const std::optional<Grouping> grouping = grouping_of(arguments);
  const std::string text = arguments.find(option).value_or(std::string(fallback));
  std::vector<NumberFormat> formats;
  for (const std::string_view name : list_items(option, text)) {
    formats.push_back(number_format(option, name));
    if (is_integer(formats.back())) formats.back().grouping = grouping;
  }
  return formats;
}

std::string format_text(const NumberFormat& format) {
  if (!format.grouping) return format.name;
  std::string text = format.name + ", groups of " + std::to_string(format.grouping->size) + " with a " +
                     std::to_string(format.grouping->scale_bits) + "-bit scale";
  if (format.grouping->zero_bits > 0)
    text += " and a " + std::to_string(format.grouping->zero_bits) + "-bit zero point";
  return text;
}

}  // namespace tilemeter::roofline
