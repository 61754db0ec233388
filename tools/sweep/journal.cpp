#include "tools/sweep/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "model/error.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view magic = "tilemeter sweep journal 1";

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320U : 0U);
    table[i] = value;
  }
  return table;
}();

constexpr std::size_t hex_width = 8;

std::string hex(std::uint32_t value) {
  std::array<char, hex_width + 1> text{};
  std::snprintf(text.data(), text.size(), "%08x", value);
  return text.data();
}

std::string header(const SweepIdentity& identity, std::size_t points) {
  const std::string text = std::string(magic) + "\n" + identity.version + "\n" + identity.command_line + "\n" +
                           hex(identity.inputs) + " " + std::to_string(points) + "\n";
  return text + hex(crc32(text)) + "\n";
}

[[noreturn]] void fail(const std::string& path) {
  throw InputError("-o: cannot use the partial file " + path + ": " + std::strerror(errno));
}

/// Cuts the first complete line off `text`.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

[[noreturn]] void refuse_other(const std::string& path, std::string_view what, std::string_view theirs,
                               std::string_view ours) {
  throw InputError("--resume: " + path + " belongs to another " + std::string(what) + ": it holds '" +
                   std::string(theirs) + "', this is '" + std::string(ours) + "'; delete it to start anew");
}

/// The first bytes of a file, at most `size`.
std::string start_of(int file, std::size_t size, const std::string& path) {
  std::string text(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t part = ::pread(file, text.data() + got, size - got, static_cast<off_t>(got));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) fail(path);
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  text.resize(got);
  return text;
}

/// Says why `text` does not start with the header of `identity`.
[[noreturn]] void refuse_header(const std::string& path, std::string_view text, const SweepIdentity& identity) {
  std::array<std::string_view, 5> lines;
  for (std::string_view& line : lines) {
    const auto taken = take_line(text);
    if (!taken)
      throw InputError("--resume: " + path +
                       " is no partial file of a sweep: its header is torn; delete it to start anew");
    line = *taken;
  }
  if (lines[0] != magic)
    throw InputError("--resume: " + path + " is no partial file of a sweep; delete it to start anew");
  if (lines[1] != identity.version) refuse_other(path, "version", lines[1], identity.version);
  if (lines[2] != identity.command_line) refuse_other(path, "command line", lines[2], identity.command_line);
  throw InputError("--resume: a file named on the command line has changed since " + path +
                   " was begun; delete it to start anew");
}

/// Cuts the lines of a file off one by one; a journal may be larger than memory.
class LineReader {
 public:
  LineReader(int file, std::uint64_t begin, const std::string& path) : file_(file), offset_(begin), path_(path) {}

  /// The next line, until it is called again; nothing at the end, or when the last line is not complete.
  std::optional<std::string_view> next() {
    for (;;) {
      const std::size_t end = text_.find('\n', searched_);
      if (end != std::string::npos) {
        const std::string_view line = std::string_view(text_).substr(taken_, end - taken_);
        offset_ += line.size() + 1;
        taken_ = searched_ = end + 1;
        return line;
      }
      if (!read_more()) return std::nullopt;
    }
  }
  /// Where the next line begins in the file.
  std::uint64_t offset() const { return offset_; }

 private:
  bool read_more() {
    text_.erase(0, taken_);
    taken_ = 0;
    const std::size_t kept = searched_ = text_.size();
    text_.resize(kept + read_size);
    ssize_t got = -1;
    do {
      got = ::pread(file_, text_.data() + kept, read_size, static_cast<off_t>(offset_ + kept));
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail(path_);
    text_.resize(kept + static_cast<std::size_t>(got));
    return got > 0;
  }

  static constexpr std::size_t read_size = 1 << 16;
  int file_;
  std::uint64_t offset_;
  const std::string& path_;
  std::string text_;
  std::size_t taken_ = 0;
  std::size_t searched_ = 0;
};

}  // namespace

std::uint32_t crc32(std::string_view text) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : text) crc = crc_table[(crc ^ static_cast<unsigned char>(c)) & 0xffU] ^ (crc >> 8);
  return crc ^ 0xffffffffU;
}

Journal::Journal(std::string path, Descriptor file, std::size_t points)
    : path_(std::move(path)), file_(std::move(file)), places_(points) {}

Journal Journal::start(const std::string& path, const SweepIdentity& identity, std::size_t points) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.value() < 0 && errno == EEXIST) {
    throw InputError("-o: " + path +
                     " exists, perhaps from an interrupted sweep: expected --resume to continue it, or "
                     "delete it to start anew");
  }
  if (file.value() < 0) fail(path);
  Journal journal(path, std::move(file), points);
  journal.begin(identity);
  return journal;
}

Journal Journal::resume(const std::string& path, const SweepIdentity& identity, std::size_t points) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.value() < 0 && errno == ENOENT) return start(path, identity, points);
  if (file.value() < 0) fail(path);
  Journal journal(path, std::move(file), points);
  journal.scan(identity);
  return journal;
}

void Journal::begin(const SweepIdentity& identity) {
  const std::string text = header(identity, places_.size());
  write_all(file_.value(), text, "-o " + path_);
  end_ = text.size();
}

void Journal::scan(const SweepIdentity& identity) {
  constexpr std::size_t longest_header = 1 << 20;
  const std::string expected = header(identity, places_.size());
  const std::string found = start_of(file_.value(), expected.size(), path_);
  // A sweep may be killed before its header is written; nothing is lost then.
  if (found.size() < expected.size() && expected.starts_with(found)) {
    if (::ftruncate(file_.value(), 0) != 0) fail(path_);
    return begin(identity);
  }
  if (found != expected) refuse_header(path_, start_of(file_.value(), longest_header, path_), identity);
  LineReader lines(file_.value(), expected.size(), path_);
  for (;;) {
    end_ = lines.offset();
    const auto line = lines.next();
    if (!line || !scan_record(*line, end_)) break;
  }
  if (::ftruncate(file_.value(), static_cast<off_t>(end_)) != 0) fail(path_);
  if (::lseek(file_.value(), 0, SEEK_END) < 0) fail(path_);
}

bool Journal::scan_record(std::string_view line, std::uint64_t offset) {
  if (line.size() < hex_width + 2) return false;
  const std::string_view body = line.substr(hex_width + 1);
  if (line.substr(0, hex_width) != hex(crc32(body))) return false;
  std::size_t point = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), point);
  if (error != std::errc() || point >= places_.size() || end == body.data() + body.size()) return false;
  const std::size_t text_begin = static_cast<std::size_t>(end - line.data()) + 1;
  if (!has(point)) ++done_;
  places_[point] = {offset + text_begin, static_cast<std::uint32_t>(line.size() - text_begin)};
  return true;
}

void Journal::append(std::size_t point, std::string_view text) {
  const std::string body = std::to_string(point) + " " + std::string(text);
  const std::string line = hex(crc32(body)) + " " + body + "\n";
  write_all(file_.value(), line, "-o " + path_);
  places_[point] = {end_ + line.size() - 1 - text.size(), static_cast<std::uint32_t>(text.size())};
  end_ += line.size();
  ++done_;
}

std::string Journal::read(std::size_t point) const {
  const Place& place = places_[point];
  std::string text(place.size, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t part =
        ::pread(file_.value(), text.data() + got, text.size() - got, static_cast<off_t>(place.offset + got));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) fail(path_);
    got += static_cast<std::size_t>(part);
  }
  return text;
}

void Journal::remove() { ::unlink(path_.c_str()); }

bool is_journal(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, magic.size()> start{};
  if (file.value() < 0) return false;
  const ssize_t got = ::read(file.value(), start.data(), start.size());
  return got == static_cast<ssize_t>(magic.size()) && std::string_view(start.data(), start.size()) == magic;
}

}  // namespace tilemeter
