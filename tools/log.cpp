#include "tools/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace tilemeter {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = std::make_shared<spdlog::logger>("tilemeter", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%n: %l: %v");
    made->set_level(spdlog::level::warn);
    return made;
  }();
  return *instance;
}

/// The message on one line: line breaks and other control characters, which only an input can hold, become '?'.
std::string one_line(std::string_view message) {
  std::string line(message);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return line;
}

}  // namespace

void set_verbosity(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::quiet:
      return logger().set_level(spdlog::level::err);
    case Verbosity::normal:
      return logger().set_level(spdlog::level::warn);
    case Verbosity::verbose:
      return logger().set_level(spdlog::level::debug);
  }
}

void log_error(std::string_view message) { logger().error("{}", one_line(message)); }
void log_warning(std::string_view message) { logger().warn("{}", one_line(message)); }
void log_detail(std::string_view message) { logger().debug("{}", message); }

}  // namespace tilemeter
