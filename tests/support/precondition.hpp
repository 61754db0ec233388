// What a test program needs before its first test; without it the program is skipped, not failed.
#pragma once

#include <optional>
#include <string>

/// A program that needs something of its machine sets this before main. A reason that it returns is printed, and the
/// program ends with `skip_status`.
inline std::optional<std::string> (*precondition)() = nullptr;

/// ctest's SKIP_RETURN_CODE of such programs.
inline constexpr int skip_status = 77;
