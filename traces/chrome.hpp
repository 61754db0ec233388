// Timelines for the Perfetto and chrome://tracing viewers: JSON of the Trace Event Format (Google, "Trace Event
// Format", object form).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/timeline.hpp"

namespace tilemeter {

/// "12.345678": picoseconds as microseconds, exact, whatever the locale.
std::string microseconds_text(Picoseconds time);

/// Writes spans as they come: a process an SM, a row for each of its units, and below them as many rows of named waits
/// as it takes for waits not to overlap. Nothing but these rows is kept.
class ChromeTrace {
 public:
  /// Takes the next piece of the text.
  using Write = std::function<void(std::string_view)>;

  ChromeTrace(Write write, std::string_view title);

  /// Spans come in the order of their begins. The span's unit row gets an event named by the phase, with the block and
  /// what it waited for; a wait before it becomes an event of its own, which ends where the span begins.
  void add(const Span& span);
  /// Names the rows and closes the text.
  void finish();

 private:
  using WaitEnds = std::vector<Picoseconds>;  ///< of the last wait on each of an SM's rows of waits

  void event(const std::string& text);
  void name_rows(int sm, const WaitEnds& rows);
  void name_row(int sm, std::size_t row, const std::string& name);
  static std::size_t wait_row(WaitEnds& rows, Picoseconds begin, Picoseconds end);

  Write write_;
  std::map<int, WaitEnds> sms_;
  bool first_ = true;
};

/// All of `timeline`.
void write_chrome_trace(const Timeline& timeline, const ChromeTrace::Write& write);

}  // namespace tilemeter
