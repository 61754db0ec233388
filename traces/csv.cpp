#include "traces/csv.hpp"

#include <algorithm>

#include "model/error.hpp"

namespace tilemeter {
namespace {

/// Bytes of the UTF-8 character at the start of `text`; 0 where there is none. Overlong forms, surrogates and values
/// past U+10FFFF are none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : (lead & 0xF0) == 0xE0       ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90)) return 0;
  return length;
}

std::string line_message(std::string_view origin, std::size_t line, const std::string& message) {
  return std::string(origin) + ": line " + std::to_string(line) + " " + message;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void require_utf8(std::string_view text, std::string_view origin, std::size_t first_line) {
  std::size_t line = first_line;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) throw InputError(line_message(origin, line, "is not UTF-8"));
    if (text.front() == '\n') ++line;
    text.remove_prefix(length);
  }
}

CsvReader::CsvReader(std::string_view text, std::string_view origin, std::size_t first_line)
    : text_(text), origin_(origin), line_(first_line) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  require_utf8(text, origin, first_line);
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

void CsvReader::refuse(std::size_t line, const std::string& message) const {
  throw InputError(line_message(origin_, line, message));
}

std::vector<std::string> CsvReader::record() {
  std::vector<std::string> cells;
  do cells.push_back(cell());
  while (take(','));
  take('\r');
  if (!done() && !take('\n')) refuse(line_, "has text after a quoted cell; a comma or the line's end is accepted");
  ++line_;
  return cells;
}

std::string_view CsvReader::skip_line() {
  const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
  at_ = std::min(at_ + line.size() + 1, text_.size());
  ++line_;
  return line;
}

bool CsvReader::take(char expected) {
  if (done() || text_[at_] != expected) return false;
  ++at_;
  return true;
}

std::string CsvReader::cell() {
  if (take('"')) return quoted_cell();
  const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
  const std::string_view plain = text_.substr(at_, end - at_);
  if (plain.find('"') != std::string_view::npos) refuse(line_, "has a quote inside a cell that is not quoted");
  at_ = end;
  return std::string(plain);
}

std::string CsvReader::quoted_cell() {
  const std::size_t opened = line_;
  std::string cell;
  for (; !done(); ++at_) {
    if (text_[at_] == '"' && !(at_ + 1 < text_.size() && text_[at_ + 1] == '"')) {
      ++at_;
      return cell;
    }
    if (text_[at_] == '"') ++at_;
    if (text_[at_] == '\n') ++line_;
    cell += text_[at_];
  }
  refuse(opened, "opens a quoted cell that is never closed");
}

}  // namespace tilemeter
