#include "tools/errors/line.hpp"

#include "tools/json.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view format_name = "--format";

Json fault_json(std::string_view message, const CommandWords& given) {
  const Fault fault = fault_of(message, given);
  Json error = {{"message", message}};
  const auto add = [&](const char* name, const std::optional<std::string>& text) {
    if (text) error[name] = *text;
  };
  add("option", fault.option);
  add("file", fault.file);
  add("key", fault.key);
  add("value", fault.value);
  add("accepted", fault.accepted);
  if (!fault.choices.empty()) error["choices"] = fault.choices;
  add("suggestion", fault.suggestion);
  return error;
}

}  // namespace

bool asks_for_json(const CommandWords& given) {
  for (std::size_t i = 0; i < given.words.size(); ++i) {
    if (given.words[i] == std::string(format_name) + "=json") return true;
    if (given.words[i] == format_name && i + 1 < given.words.size() && given.words[i + 1] == "json") return true;
  }
  return false;
}

std::string json_line(std::string_view level, std::string_view message, const CommandWords& given) {
  Json line = document_json(given.command == nullptr ? "" : given.command->name);
  line[std::string(level)] = level == "error" ? fault_json(message, given) : Json{{"message", message}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilemeter
