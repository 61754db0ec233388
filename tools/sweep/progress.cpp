#include "tools/sweep/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

constexpr std::chrono::seconds rate_window{30};
constexpr std::size_t widest_bar = 30;
constexpr std::size_t narrowest_bar = 5;

std::string remaining_text(double seconds) {
  constexpr double longest = 1e9;
  const auto whole = static_cast<long long>(std::min(seconds, longest) + 0.5);
  if (whole < 60) return std::to_string(whole) + " s left";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s left";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min left";
}

std::string rate_text(double per_second) {
  if (per_second < 1) return fixed(1 / per_second, 1) + " s a point";
  return fixed(per_second, per_second < 100 ? 1 : 0) + "/s";
}

std::size_t screen_columns() {
  constexpr std::size_t usual = 80;
  struct winsize size {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

}  // namespace

void Rate::add(Time now, std::size_t done) {
  now_ = now;
  if (done > seen_.back().done) seen_.push_back({now, done});
  while (seen_.size() > 2 && now - seen_[1].time >= rate_window) seen_.pop_front();
}

std::optional<double> Rate::per_second() const {
  const double seconds = std::chrono::duration<double>(now_ - seen_.front().time).count();
  const std::size_t done = seen_.back().done - seen_.front().done;
  if (done == 0 || !(seconds > 0)) return std::nullopt;
  return static_cast<double>(done) / seconds;
}

std::string progress_text(std::size_t finished, std::size_t total, std::optional<double> per_second,
                          std::size_t columns) {
  std::string text = std::to_string(finished) + " of " + std::to_string(total) + " points";
  if (per_second && finished < total) {
    text += ", " + rate_text(*per_second) + ", " + remaining_text(static_cast<double>(total - finished) / *per_second);
  }
  constexpr std::size_t around = 4;  // brackets, a blank, and the last column, where terminals wrap
  if (text.size() + around + narrowest_bar > columns) return text.substr(0, columns > 0 ? columns - 1 : 0);
  const std::size_t cells = std::min(widest_bar, columns - text.size() - around);
  const std::size_t filled = cells * finished / total;
  return "[" + std::string(filled, '#') + std::string(cells - filled, ' ') + "] " + text;
}

Progress::Progress(Bar bar, std::size_t total, std::size_t done_before)
    : bar_(bar), total_(total), before_(done_before) {}

Progress::~Progress() {
  if (bar_ == Bar::shown) std::fputs("\r\033[K", stderr);
}

void Progress::show(std::size_t done) {
  if (bar_ == Bar::hidden || total_ == 0) return;
  rate_.add(std::chrono::steady_clock::now(), done);
  const std::string text = progress_text(before_ + done, total_, rate_.per_second(), screen_columns());
  std::fputs(("\r" + text + "\033[K").c_str(), stderr);
  std::fflush(stderr);
}

Bar bar_for_terminal() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return ::isatty(STDERR_FILENO) != 0 && !dumb ? Bar::shown : Bar::hidden;
}

}  // namespace tilemeter
