// Messages as JSON, for `--format json`.
#pragma once

#include <string>
#include <string_view>

#include "tools/errors/fault.hpp"

namespace tilemeter {

/// Whether a command line asks for JSON, be it one that can be read or not.
bool asks_for_json(const CommandWords& given);

/// One JSON object on one line: {"schema": 1, "command": ..., "version": ..., "error": {"message": ..., ...}}. Errors
/// have the parts of their fault beside the message; other levels have the message.
std::string json_line(std::string_view level, std::string_view message, const CommandWords& given);

}  // namespace tilemeter
