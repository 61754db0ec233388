// The device that options name, and what --set changes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "tools/command.hpp"

namespace tilemeter {

/// What every --set says, in their order.
std::vector<std::string> device_settings(const Arguments& arguments);

/// The device of that name or file, which `asked_by` gives, changed by every --set. Throws as `load_device` and
/// `apply_settings`.
Device changed_device(std::string_view name, const Arguments& arguments, std::string_view asked_by = "--device");

/// The same of --device, without which `who` cannot read what was measured. Throws InputError where it is missing.
Device measured_device(const Arguments& arguments, std::string_view who);

}  // namespace tilemeter
