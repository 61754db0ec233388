// Device files: TOML text to facts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/device_schema.hpp"

namespace tilemeter {

/// The quantities of a device file, which nests tables by the dots of the keys: `[sm]` holds `count = { value = 132,
/// source = "..." }`. Throws InputError: text that is no TOML, with line and column; a quantity that is not a table of
/// value and source alone; an empty source.
std::vector<RawFact> read_facts(std::string_view toml, std::string_view origin);

/// The text of a file of at most 1 MiB. Throws InputError: cannot be read, a directory, too large.
std::string read_device_file(const std::string& path);

}  // namespace tilemeter
