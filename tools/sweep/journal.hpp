// The partial file of a sweep: finished points as records with checksums, so that an interrupted sweep can continue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/output/file.hpp"

namespace tilemeter {

/// CRC-32 (IEEE 802.3, as zip uses it): of "123456789" it is 0xcbf43926.
std::uint32_t crc32(std::string_view text);

/// What identifies a sweep: the program's version, its command line, and the files that it reads.
struct SweepIdentity {
  std::string version;
  std::string command_line;  ///< on one line
  std::uint32_t inputs = 0;  ///< checksum of the files named in it

  friend bool operator==(const SweepIdentity&, const SweepIdentity&) = default;
};

/// One line a record: checksum, number of the point, its text without line breaks. A record is good when its checksum
/// holds and its line is complete; what follows the last good record is dropped.
class Journal {
 public:
  /// Starts a journal at `path`. Throws InputError when it exists already or cannot be written.
  static Journal start(const std::string& path, const SweepIdentity& identity, std::size_t points);
  /// Continues the journal at `path`, or starts it when there is none. Throws InputError when it belongs to another
  /// version or command line, with both.
  static Journal resume(const std::string& path, const SweepIdentity& identity, std::size_t points);

  void append(std::size_t point, std::string_view text);
  bool has(std::size_t point) const { return places_[point].size != absent; }
  std::size_t size() const { return done_; }  ///< points recorded
  std::string read(std::size_t point) const;

  const std::string& path() const { return path_; }
  /// Deletes the file.
  void remove();

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t size = absent;
  };
  static constexpr std::uint32_t absent = ~std::uint32_t{0};

  Journal(std::string path, Descriptor file, std::size_t points);
  void begin(const SweepIdentity& identity);
  void scan(const SweepIdentity& identity);
  bool scan_record(std::string_view line, std::uint64_t offset);

  std::string path_;
  Descriptor file_;
  std::vector<Place> places_;
  std::uint64_t end_ = 0;
  std::size_t done_ = 0;
};

/// Whether a journal lies at `path`.
bool is_journal(const std::string& path);

}  // namespace tilemeter
