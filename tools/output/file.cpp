#include "tools/output/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/error.hpp"
#include "tools/log.hpp"

namespace tilemeter {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

int Descriptor::release() { return std::exchange(value_, -1); }

std::string read_file(std::string_view option, const std::string& path) {
  const auto fail = [&] {
    throw InputError(std::string(option) + " " + path + ": cannot read the file: " + std::strerror(errno));
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.value() < 0) fail();
  constexpr std::size_t largest = std::size_t{1} << 30;
  std::string text;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const ssize_t got = ::read(file.value(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) {
      log_detail("read " + path + ", " + std::to_string(text.size()) + " B");
      return text;
    }
    if (text.size() > largest) throw InputError(std::string(option) + " " + path + ": the file is larger than 1 GiB");
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void write_all(int descriptor, std::string_view text, const std::string& what) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw ClosedPipe();
    if (written < 0) throw InputError(what + ": cannot write: " + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_out(std::string_view text) { write_all(STDOUT_FILENO, text, "standard output"); }

}  // namespace tilemeter
