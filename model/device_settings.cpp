// Changes to a device: `--set KEY=VALUE` and overlay files.
#include <algorithm>

#include "model/device_file.hpp"
#include "model/device_schema.hpp"
#include "model/quantity.hpp"

namespace tilemeter {
namespace {

std::vector<RawFact> raw_facts(const Device& device) {
  std::vector<RawFact> facts;
  for (const DeviceFact& fact : device.facts) {
    facts.push_back({fact.key, fact.value, fact.source, Spelling::setting, fact.provenance});
  }
  return facts;
}

void replace(std::vector<RawFact>& facts, RawFact fact) {
  const auto old = std::find_if(facts.begin(), facts.end(), [&](const RawFact& f) { return f.key == fact.key; });
  if (old == facts.end()) {
    facts.push_back(std::move(fact));
  } else {
    *old = std::move(fact);
  }
}

RawFact parse_setting(std::string_view setting) {
  const std::string origin = "--set " + in_quotes(setting);
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError(origin + ": expected KEY=VALUE, such as sm.shared_per_block=512KiB");
  }
  const KeyRule rule = rule_of(setting.substr(0, equals), origin);
  const std::string value = spaced(setting.substr(equals + 1));
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::all_of(value.begin(), value.end(), printable)) {
    throw InputError(origin + ": expected " + rule.expected + " in printable ASCII");
  }
  if (value.empty()) throw InputError(origin + ": expected " + rule.expected + " after the equals sign");
  return {.key = rule.key, .value = value, .source = "--set", .spelling = Spelling::setting};
}

/// What the settings leave to be made consistent.
class SharedMemory {
 public:
  SharedMemory(std::vector<RawFact>& facts, const std::vector<RawFact>& settings)
      : facts_(facts), settings_(settings) {}

  void follow() {
    const Bytes block = size_of("sm.shared_per_block");
    const Bytes resident = named("--set: sm.shared_per_sm", [&] { return block + size_of("sm.shared_reserved"); });
    const bool grown = is_set("sm.shared_per_block") || is_set("sm.shared_reserved");
    if (grown && !is_set("sm.shared_per_sm") && resident > size_of("sm.shared_per_sm")) {
      change("sm.shared_per_sm", resident, "raised to hold one block and its sm.shared_reserved");
    }
    if (is_set("sm.shared_per_block") && !is_set("sm.shared_default") && block < size_of("sm.shared_default")) {
      change("sm.shared_default", block, "lowered to sm.shared_per_block");
    }
  }

 private:
  RawFact& fact(std::string_view key) {
    return *std::find_if(facts_.begin(), facts_.end(), [&](const RawFact& f) { return f.key == key; });
  }
  Bytes size_of(std::string_view key) {
    return parse_bytes(fact(key).value, "--set: " + std::string(key), ByteUnits::binary, Zero::allowed);
  }
  bool is_set(std::string_view key) const {
    return std::any_of(settings_.begin(), settings_.end(), [&](const RawFact& f) { return f.key == key; });
  }
  void change(std::string_view key, Bytes value, const std::string& why) {
    fact(key).source = "--set, " + why + " (was " + fact(key).value + ")";
    fact(key).value = exact_text(value);
    fact(key).provenance = {};
  }

  std::vector<RawFact>& facts_;
  const std::vector<RawFact>& settings_;
};

}  // namespace

void apply_overlay(Device& device, std::string_view toml, std::string_view origin) {
  const auto base = base_of(toml, origin);
  if (base && *base != device.name) {
    throw InputError(std::string(origin) + ": base " + in_quotes(*base) + ": the file changes another device than " +
                     in_quotes(device.name));
  }
  std::vector<RawFact> facts = raw_facts(device);
  for (RawFact& fact : read_facts(toml, origin)) replace(facts, std::move(fact));
  device = build_device(facts, origin);
}

void apply_settings(Device& device, const std::vector<std::string>& settings) {
  std::vector<RawFact> facts = raw_facts(device);
  std::vector<RawFact> changes;
  for (const std::string& setting : settings) {
    changes.push_back(parse_setting(setting));
    replace(facts, changes.back());
  }
  SharedMemory(facts, changes).follow();
  device = build_device(facts, "--set");
}

void apply_setting(Device& device, std::string_view setting) { apply_settings(device, {std::string(setting)}); }

}  // namespace tilemeter
