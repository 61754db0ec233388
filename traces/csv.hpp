// Comma-separated values (RFC 4180) as records of cells.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilemeter {

/// `text` as a cell, in quotes where it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

/// Cuts a text into records. Lines end in LF or CRLF; a byte order mark at the start is skipped.
class CsvReader {
 public:
  /// `origin` begins every message: a file's name. Both outlive the reader. `first_line` is the number of the text's
  /// first line in its file. Throws InputError that names the line which is not UTF-8.
  CsvReader(std::string_view text, std::string_view origin, std::size_t first_line = 1);

  bool done() const { return at_ >= text_.size(); }
  /// Number of the line on which the next record starts, from 1.
  std::size_t line() const { return line_; }
  /// Whether the next record starts with `prefix`, as written.
  bool starts_with(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  /// The cells of the next record, without their quotes; an empty line is one empty cell. Throws InputError that names
  /// the line: a quoted cell that is never closed, text after one, or a quote inside a cell that is not quoted.
  std::vector<std::string> record();

  /// The next line as it stands, whatever it holds.
  std::string_view skip_line();

  /// Throws InputError: `message` at `line`, "export.csv: line 7 ...".
  [[noreturn]] void refuse(std::size_t line, const std::string& message) const;

 private:
  bool take(char expected);
  std::string cell();
  std::string quoted_cell();

  std::string_view text_;
  std::string_view origin_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// Throws InputError that starts with `origin` and names the first line of `text` which is not UTF-8; `first_line` is
/// the number of the text's first line in its file.
void require_utf8(std::string_view text, std::string_view origin, std::size_t first_line = 1);

}  // namespace tilemeter
