#include "tools/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <utility>

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

LogLine& own_line() {
  static LogLine line;
  return line;
}

/// The message on one line: line breaks and other control characters, which only an input can hold, become '?'.
std::string one_line(std::string_view message) {
  std::string line(message);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return line;
}

void say(spdlog::level::level_enum level, std::string_view message) {
  if (!logger().should_log(level)) return;
  const auto name = spdlog::level::to_string_view(level);
  logger().log(level, "{}", own_line() ? own_line()({name.data(), name.size()}, message) : one_line(message));
}

spdlog::level::level_enum level_of(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::silent:
      return spdlog::level::off;
    case Verbosity::quiet:
      return spdlog::level::err;
    case Verbosity::normal:
      return spdlog::level::warn;
    case Verbosity::verbose:
      return spdlog::level::info;
    case Verbosity::detailed:
      return spdlog::level::debug;
  }
  return spdlog::level::warn;
}

}  // namespace

void set_verbosity(Verbosity verbosity) { logger().set_level(level_of(verbosity)); }

void set_log_line(LogLine line) {
  logger().set_pattern(line ? "%v" : "%n: %l: %v");
  own_line() = std::move(line);
}

void log_error(std::string_view message) { say(spdlog::level::err, message); }
void log_warning(std::string_view message) { say(spdlog::level::warn, message); }
void log_info(std::string_view message) { say(spdlog::level::info, message); }
void log_detail(std::string_view message) { say(spdlog::level::debug, message); }

}  // namespace tilemeter
