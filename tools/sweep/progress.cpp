#include "tools/sweep/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace tilemeter {
namespace {

constexpr std::size_t bar_cells = 30;

std::string remaining_text(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 60) return std::to_string(whole) + " s left";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s left";
}

}  // namespace

Progress::Progress(Bar bar, std::size_t total, std::size_t done_before)
    : bar_(bar), total_(total), before_(done_before) {}

Progress::~Progress() {
  if (bar_ == Bar::shown) std::fputs("\r\033[K", stderr);
}

void Progress::show(std::size_t done) {
  if (bar_ == Bar::hidden || total_ == 0) return;
  const std::size_t finished = before_ + done;
  const std::size_t filled = bar_cells * finished / total_;
  std::string line = "\r[" + std::string(filled, '#') + std::string(bar_cells - filled, ' ') + "] " +
                     std::to_string(finished) + " of " + std::to_string(total_) + " points";
  if (done > 0 && finished < total_) {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    line += ", " + remaining_text(elapsed * static_cast<double>(total_ - finished) / static_cast<double>(done));
  }
  std::fputs((line + "\033[K").c_str(), stderr);
  std::fflush(stderr);
}

Bar bar_for_terminal() { return ::isatty(STDERR_FILENO) != 0 ? Bar::shown : Bar::hidden; }

}  // namespace tilemeter
