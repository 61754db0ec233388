#include "traces/json_fault.hpp"

namespace tilemeter {
namespace {

/// `text` after the first `mark`; all of it without one.
std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? text : text.substr(at + mark.size());
}

}  // namespace

std::string json_fault(std::string_view message) {
  const std::string_view fault = after(message, "] ");
  const std::string_view place = after(fault, "parse error at ");
  const std::size_t end = place.find(": ");
  if (place.size() == fault.size() || end == std::string_view::npos) return std::string(fault);
  std::string_view reason = after(place.substr(end + 2), " - ");
  if (reason.starts_with("attempting to parse an empty input")) reason = "unexpected end of input";  // version 3.11.3
  return std::string(place.substr(0, end + 2)) + std::string(reason.substr(0, reason.find("; expected")));
}

}  // namespace tilemeter
