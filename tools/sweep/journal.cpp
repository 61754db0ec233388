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

/// Checks the header at the start of `text` and returns its length.
std::size_t check_header(const std::string& path, std::string_view text, const SweepIdentity& identity,
                         std::size_t points) {
  const std::string expected = header(identity, points);
  if (text.starts_with(expected)) return expected.size();
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
  const std::string text = header(identity, points);
  write_all(journal.file_.value(), text, "-o " + path);
  journal.end_ = text.size();
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

void Journal::scan(const SweepIdentity& identity) {
  const std::string text = read_file("--resume", path_);
  std::string_view rest = text;
  rest.remove_prefix(check_header(path_, rest, identity, places_.size()));
  for (;;) {
    end_ = text.size() - rest.size();
    const auto line = take_line(rest);
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
