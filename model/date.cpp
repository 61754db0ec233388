#include "model/date.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace tilemeter {
namespace {

std::string utc_text(std::time_t time, const char* format) {
  std::tm utc{};
  if (gmtime_r(&time, &utc) == nullptr) return {};
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), format, &utc);
  return text.data();
}

}  // namespace

std::string utc_now() { return utc_text(std::time(nullptr), "%Y-%m-%dT%H:%M:%SZ"); }

std::string build_date() {
  std::time_t time = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text = epoch;
    std::time_t given = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), given);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) time = given;
  }
  return utc_text(time, "%Y-%m-%d");
}

}  // namespace tilemeter
