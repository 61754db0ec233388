// Device files: TOML text to facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_schema.hpp"

namespace tilemeter {

/// The shipped device that a file changes: the text of its key `base`; nothing without one. Throws InputError for a
/// `base` that is no text.
std::optional<std::string> base_of(std::string_view toml, std::string_view origin);

/// The quantities of a device file, which nests tables by the dots of the keys: `[sm]` holds `count = { value = 132,
/// source = "..." }`. Throws InputError: text that is no TOML, with line and column; a quantity that is not a table of
/// value and source, with interval, clock, date and command at most; an empty one of these.
std::vector<RawFact> read_facts(std::string_view toml, std::string_view origin);

/// The text of a file of at most 1 MiB. Throws InputError that begins with `asked_by`: cannot be read, a directory, too
/// large.
std::string read_device_file(const std::string& path, std::string_view asked_by);

}  // namespace tilemeter
