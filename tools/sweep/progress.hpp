// A progress bar on standard error, where that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace tilemeter {

/// How fast points are finished lately: over the last half minute, or since the last point where that is longer ago.
/// What is left is best foretold from the points beside it, since long sequences come last in most sweeps.
class Rate {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Rate(Time start) : now_(start), seen_{{start, 0}} {}

  /// `done` points are finished by `now`.
  void add(Time now, std::size_t done);
  /// Points a second; nothing before the first one.
  std::optional<double> per_second() const;

 private:
  struct Seen {
    Time time;
    std::size_t done = 0;
  };
  Time now_;
  std::deque<Seen> seen_;  ///< when the number of finished points changed
};

/// The text of a bar in a window of `columns`: "[####    ] 12 of 40 points, 3.1/s, 9 s left", shorter where it would
/// not fit.
std::string progress_text(std::size_t finished, std::size_t total, std::optional<double> per_second,
                          std::size_t columns);

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
  Rate rate_{std::chrono::steady_clock::now()};
};

/// Shown when standard error is a terminal that can rewrite a line.
Bar bar_for_terminal();

}  // namespace tilemeter
