// How an option names a file that is compiled into the program, or one of the user's.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tilemeter {

/// Whether `text` is a path to a file: it has a slash, or ends in ".toml".
bool is_toml_path(std::string_view text);

/// The place in `names` of `name`, or of the only one that starts with it, whatever the case. Throws InputError that
/// names `option`: none, with the nearest one, or several. `kind` is what they name, such as "device".
std::size_t shipped_index(std::string_view option, std::string_view kind, std::string_view name,
                          const std::vector<std::string_view>& names);

}  // namespace tilemeter
