// Where results go, in which format, and files that appear whole.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tools/command.hpp"
#include "tools/output/file.hpp"

namespace tilemeter {

enum class Format { table, csv, json, md, html };

/// --format and -o.
std::span<const OptionSpec> output_option_specs();

struct Target {
  Format format = Format::table;
  std::optional<std::string> path;  ///< absent for standard output
};

/// The file of -o, which can be written; nothing without -o. Throws InputError.
std::optional<std::string> path_of(const Arguments& arguments);

/// The format of --format, or of the extension of -o (.csv .json .md .html .txt). Throws InputError for another
/// extension.
Target target_of(const Arguments& arguments);

/// The file that results are written to until they are whole: "FILE.partial".
std::string partial_path(const std::string& path);

/// Throws InputError when `path` is a directory, a device, or in a folder that cannot be written.
void require_writable(const std::string& path);

/// A file under another name that takes its own name at the end, and vanishes when that is never reached.
class PendingFile {
 public:
  /// Opens `pending`, which `commit` renames to `path`. Throws InputError when it cannot be written.
  PendingFile(std::string path, std::string pending);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  std::string path_;
  std::string pending_;
  Descriptor file_;
};

}  // namespace tilemeter
