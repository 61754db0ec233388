// A process without others.
#pragma once

#include <stdexcept>

#include "tools/sweep/ranks/ranks.hpp"

namespace tilemeter {

class Alone final : public Ranks {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  void send(const Message&) override { throw std::logic_error("a message to nobody"); }
  std::optional<Message> receive(std::optional<int>) override { return std::nullopt; }
  std::vector<std::string> exchange(const std::string& text) override { return {text}; }
};

}  // namespace tilemeter
