// Messages to standard error; standard output carries results only.
#pragma once

#include <string_view>

namespace tilemeter {

enum class Verbosity { quiet, normal, verbose };

void set_verbosity(Verbosity verbosity);
void log_error(std::string_view message);
void log_warning(std::string_view message);  ///< silent when quiet
void log_detail(std::string_view message);   ///< only when verbose

}  // namespace tilemeter
