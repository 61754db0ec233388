// The keys of a device file: which exist, what each expects, and how they become a Device.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"

namespace tilemeter {

/// How a value was written. A device file writes quantities as text and counts as whole numbers; `--set` has one form.
enum class Spelling { text, whole_number, setting, other };

/// A quantity before its value is understood. For Spelling::other, `value` says what was found instead.
struct RawFact {
  std::string key;
  std::string value;
  std::string source;
  Spelling spelling = Spelling::text;
  Provenance provenance{};
};

enum class Presence { required, optional };

/// A value to be understood, and the place it came from ("h200.toml: sm.count") for messages.
struct Reading {
  std::string value;
  std::string place;
};

/// One key of the schema.
struct KeyRule {
  std::string key;
  Presence presence = Presence::required;
  Spelling spelling = Spelling::text;  ///< text or whole_number
  std::string expected;                ///< for messages: "a byte size, such as \"227 KiB\""
  std::function<void(Device&, const Reading&)> read;
};

/// All keys, in the order in which devices are shown.
const std::vector<KeyRule>& key_rules();
std::vector<std::string_view> key_names();

/// The rule of `key`, be it of the list or of a fit (fit.KERNEL.FIGURE). Throws InputError that starts with `origin`
/// and lists the keys.
KeyRule rule_of(std::string_view key, std::string_view origin);

/// Whether `text` is a compiler target: "sm_90", "sm_90a", "sm_120f".
bool is_compiler_target(std::string_view text);

/// A device from its facts, checked one by one and together. Throws InputError; `origin` names their source in
/// messages.
Device build_device(const std::vector<RawFact>& facts, std::string_view origin);

}  // namespace tilemeter
