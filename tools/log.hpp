// Messages to standard error; standard output carries results only.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tilemeter {

enum class Verbosity { silent, quiet, normal, verbose, detailed };

void set_verbosity(Verbosity verbosity);

/// Makes one line of a message and its level: "error", "warning", "info" or "debug".
using LogLine = std::function<std::string(std::string_view level, std::string_view message)>;

/// Writes messages as `line` makes them, in the place of "tilemeter: error: MESSAGE".
void set_log_line(LogLine line);

void log_error(std::string_view message);    ///< unless silent
void log_warning(std::string_view message);  ///< from normal
void log_info(std::string_view message);     ///< from verbose: what is done
void log_detail(std::string_view message);   ///< only when detailed: what it is done with

}  // namespace tilemeter
