// A progress bar on standard error, where that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>

namespace tilemeter {

enum class Bar { shown, hidden };

class Progress {
 public:
  Progress(Bar bar, std::size_t total, std::size_t done_before);
  /// Takes the bar off the screen.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` points of this run are finished.
  void show(std::size_t done);

 private:
  Bar bar_;
  std::size_t total_;
  std::size_t before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Shown when standard error is a terminal.
Bar bar_for_terminal();

}  // namespace tilemeter
