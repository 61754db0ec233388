#include "tools/sweep/ranks/packet.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace tilemeter {
namespace {

/// Cuts a number and the blank behind it off `text`.
std::size_t take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length == text.size()) throw std::runtime_error("a rank sent what cannot be read");
  text.remove_prefix(length + 1);
  return number;
}

}  // namespace

std::string text_of(const Request& request) {
  std::string text = std::to_string(request.wanted) + " ";
  for (const auto& [point, made] : request.made)
    text += std::to_string(point) + " " + std::to_string(made.size()) + " " + made;
  return text;
}

std::string text_of(const Farewell& farewell) { return std::to_string(farewell.failures) + " " + farewell.error; }

std::string text_of(const std::vector<std::size_t>& points) {
  std::string text;
  for (const std::size_t point : points) text += std::to_string(point) + " ";
  return text;
}

Request request_in(const std::string& text) {
  std::string_view rest = text;
  Request request{.wanted = take_number(rest)};
  while (!rest.empty()) {
    const std::size_t point = take_number(rest);
    const std::size_t size = take_number(rest);
    if (size > rest.size()) throw std::runtime_error("a rank sent less than it said");
    request.made.emplace_back(point, rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return request;
}

Farewell farewell_in(const std::string& text) {
  std::string_view rest = text;
  const std::size_t failures = take_number(rest);
  return {.failures = failures, .error = std::string(rest)};
}

std::vector<std::size_t> points_in(const std::string& text) {
  std::vector<std::size_t> points;
  for (std::string_view rest = text; !rest.empty();) points.push_back(take_number(rest));
  return points;
}

}  // namespace tilemeter
