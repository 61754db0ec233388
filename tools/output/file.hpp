// Files and descriptors, with errors that name the option behind them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tilemeter {

/// Standard output was closed by its reader; the program ends quietly.
class ClosedPipe : public std::runtime_error {
 public:
  ClosedPipe() : std::runtime_error("standard output was closed") {}
};

/// The whole text of a file. Throws InputError that names `option` and the path.
std::string read_file(std::string_view option, const std::string& path);

/// An open descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int value() const { return value_; }
  int release();

 private:
  int value_ = -1;
};

/// Writes all of `text`. Throws InputError that names `what` (ClosedPipe when its reader is gone).
void write_all(int descriptor, std::string_view text, const std::string& what);

/// Writes to standard output.
void write_out(std::string_view text);

}  // namespace tilemeter
