#include "tools/output/target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/log.hpp"
#include "tools/options/choice.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<Format>, 5> formats = {{{"table", Format::table},
                                                    {"csv", Format::csv},
                                                    {"json", Format::json},
                                                    {"md", Format::md},
                                                    {"html", Format::html}}};
constexpr std::array<Choice<Format>, 5> extensions = {
    {{"txt", Format::table}, {"csv", Format::csv}, {"json", Format::json}, {"md", Format::md}, {"html", Format::html}}};
constexpr std::array output_options = {
    OptionSpec{"--format", "FORMAT", "table, csv, json, md, html; default table, or what -o's extension says"}.among(
        known_words<formats>),
    OptionSpec{"--output,-o", "FILE", "write to FILE, which appears whole at the end"},
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError("-o " + path + ": cannot write the file: " + why);
}

Format format_of_extension(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  if (dot != std::string::npos && path[dot] == '.') {
    for (const auto& extension : extensions) {
      if (path.substr(dot + 1) == extension.word) return extension.value;
    }
  }
  throw InputError("-o " + path +
                   ": the extension names no format: expected .csv, .json, .md, .html or .txt, or --format");
}

}  // namespace

std::span<const OptionSpec> output_option_specs() { return output_options; }

std::optional<std::string> path_of(const Arguments& arguments) {
  auto path = arguments.find("-o");
  if (path && path->empty()) throw InputError("-o \"\": expected the name of a file");
  if (path) require_writable(*path);
  return path;
}

Target target_of(const Arguments& arguments) {
  Target target;
  target.path = path_of(arguments);
  if (const auto format = arguments.find("--format")) {
    target.format = parse_choice("--format", *format, formats);
  } else if (target.path) {
    target.format = format_of_extension(*target.path);
  }
  return target;
}

std::string partial_path(const std::string& path) { return path + ".partial"; }

void require_writable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(path, "it is a directory");
    if (!S_ISREG(status.st_mode)) refuse(path, "it is no regular file; leave -o out to write to standard output");
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) refuse(path, std::strerror(errno));
}

PendingFile::PendingFile(std::string path, std::string pending) : path_(std::move(path)), pending_(std::move(pending)) {
  require_writable(path_);
  file_ = Descriptor(::open(pending_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file_.value() < 0) refuse(pending_, std::strerror(errno));
}

PendingFile::~PendingFile() {
  if (file_.value() >= 0) ::unlink(pending_.c_str());
}

void PendingFile::write(std::string_view text) { write_all(file_.value(), text, "-o " + path_); }

void PendingFile::commit() {
  if (::fsync(file_.value()) != 0 && errno != EINVAL) refuse(path_, std::strerror(errno));
  if (::rename(pending_.c_str(), path_.c_str()) != 0) refuse(path_, std::strerror(errno));
  file_ = Descriptor();
  log_info("wrote " + path_);
}

}  // namespace tilemeter
