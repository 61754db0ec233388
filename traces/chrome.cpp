#include "traces/chrome.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tilemeter {
namespace {

constexpr Picoseconds per_microsecond = 1'000'000;

/// `text` as a JSON string.
std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      json += escape.data();
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string place(int sm, std::size_t row) {
  return "\"pid\": " + std::to_string(sm) + ", \"tid\": " + std::to_string(row);
}

std::string complete_event(std::string_view name, std::string_view category, const std::string& where,
                           Picoseconds begin, Picoseconds length, const std::string& arguments) {
  return "{\"ph\": \"X\", \"name\": " + quoted(name) + ", \"cat\": " + quoted(category) + ", " + where +
         ", \"ts\": " + microseconds_text(begin) + ", \"dur\": " + microseconds_text(length) + ", \"args\": {" +
         arguments + "}}";
}

std::string metadata(std::string_view name, const std::string& where, const std::string& arguments) {
  return "{\"ph\": \"M\", \"name\": " + quoted(name) + ", " + where + ", \"args\": {" + arguments + "}}";
}

std::string waited_text(const Span& span) {
  return "\"block\": " + std::to_string(span.block) + ", \"waited for\": " + quoted(name_of(span.after)) +
         ", \"waited us\": " + microseconds_text(span.waited);
}

}  // namespace

std::string microseconds_text(Picoseconds time) {
  const bool negative = time < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
  std::string fraction = std::to_string(size % per_microsecond);
  fraction.insert(0, 6 - fraction.size(), '0');
  return (negative ? "-" : "") + std::to_string(size / per_microsecond) + "." + fraction;
}

ChromeTrace::ChromeTrace(Write write, std::string_view title) : write_(std::move(write)) {
  write_("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"title\": " + quoted(title) + "}, \"traceEvents\": [\n");
}

void ChromeTrace::event(const std::string& text) {
  write_((first_ ? "" : ",\n") + text);
  first_ = false;
}

/// A row whose last wait ended by `begin`, or a new one.
std::size_t ChromeTrace::wait_row(WaitEnds& rows, Picoseconds begin, Picoseconds end) {
  auto row = std::find_if(rows.begin(), rows.end(), [&](Picoseconds last) { return last <= begin; });
  if (row == rows.end()) row = rows.insert(row, 0);
  *row = end;
  return sm_unit_count + static_cast<std::size_t>(row - rows.begin());
}

void ChromeTrace::add(const Span& span) {
  WaitEnds& rows = sms_[span.sm];
  const auto unit = static_cast<std::size_t>(span.unit);
  if (span.waited > 0) {
    const std::size_t row = wait_row(rows, span.begin - span.waited, span.begin);
    event(complete_event(name_of(span.after), "wait", place(span.sm, row), span.begin - span.waited, span.waited,
                         "\"block\": " + std::to_string(span.block) + ", \"before\": " + quoted(name_of(span.phase)) +
                             ", \"unit\": " + quoted(name_of(span.unit))));
  }
  event(complete_event(name_of(span.phase), name_of(span.unit), place(span.sm, unit), span.begin, span.end - span.begin,
                       waited_text(span)));
}

void ChromeTrace::name_row(int sm, std::size_t row, const std::string& name) {
  event(metadata("thread_name", place(sm, row), "\"name\": " + quoted(name)));
  event(metadata("thread_sort_index", place(sm, row), "\"sort_index\": " + std::to_string(row)));
}

void ChromeTrace::name_rows(int sm, const WaitEnds& rows) {
  event(metadata("process_name", place(sm, 0), "\"name\": " + quoted("SM " + std::to_string(sm))));
  event(metadata("process_sort_index", place(sm, 0), "\"sort_index\": " + std::to_string(sm)));
  for (const SmUnit unit : sm_units) name_row(sm, static_cast<std::size_t>(unit), std::string(name_of(unit)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    name_row(sm, sm_unit_count + i, i == 0 ? "waits" : "waits " + std::to_string(i + 1));
  }
}

void ChromeTrace::finish() {
  for (const auto& [sm, rows] : sms_) name_rows(sm, rows);
  write_("\n]}\n");
}

void write_chrome_trace(const Timeline& timeline, const ChromeTrace::Write& write) {
  ChromeTrace trace(write, timeline.title);
  for (const Span& span : timeline.spans) trace.add(span);
  trace.finish();
}

}  // namespace tilemeter
