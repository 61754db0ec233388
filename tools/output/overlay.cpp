#include "tools/output/overlay.hpp"

#include <map>

#include "model/device_schema.hpp"
#include "model/digits.hpp"

namespace tilemeter {
namespace {

/// `text` as a basic string of TOML: printable ASCII, quotes and backslashes escaped.
std::string toml_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c >= ' ' && c <= '~' ? c : '?';
  }
  return quoted + "\"";
}

/// A command line that `Device` reads again: of a long one, its beginning.
std::string shortened(const std::string& command) {
  constexpr std::string_view more = " ...";
  if (command.size() <= longest_command) return command;
  return command.substr(0, longest_command - more.size()).append(more);
}

std::string line_of(const DeviceFact& datum, const std::string& name) {
  const bool whole = rule_of(datum.key, "overlay").spelling == Spelling::whole_number;
  std::string line = name + " = { value = " + (whole ? datum.value : toml_string(datum.value));
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) line += std::string(", ") + key + " = " + toml_string(text);
  };
  add("interval", datum.provenance.interval);
  add("clock", datum.provenance.clock);
  add("date", datum.provenance.date);
  add("command", shortened(datum.provenance.command));
  add("source", datum.source);
  return line + " }\n";
}

}  // namespace

std::string overlay_document(const std::string& title, const std::string& base, const std::vector<DeviceFact>& facts) {
  std::vector<std::string> sections;  // in the order of their first key
  std::map<std::string, std::string> lines;
  for (const DeviceFact& fact : facts) {
    const std::size_t dot = fact.key.rfind('.');
    const std::string section = fact.key.substr(0, dot);
    if (lines.find(section) == lines.end()) sections.push_back(section);
    lines[section] += line_of(fact, fact.key.substr(dot + 1));
  }
  std::string text = "# " + title + "\nbase = " + toml_string(base) + "\n";
  for (const std::string& section : sections) text += "\n[" + section + "]\n" + lines[section];
  return text;
}

OverlayTarget overlay_target(const Arguments& arguments, std::string_view who) {
  const auto format = arguments.find("--format");
  const auto path = arguments.find("-o");
  const bool overlay = format ? *format == "toml" : path && path->ends_with(".toml");
  if (overlay) return {.overlay = true, .target = {.format = Format::table, .path = path_of(arguments)}};
  OverlayTarget target{.overlay = false, .target = target_of(arguments)};
  if (target.target.format != Format::html) return target;
  throw InputError("--format html: " + std::string(who) + " has no page; choose from table, csv, json, md, toml");
}

std::string interval_text(double share) {
  return share > 0 ? "+- " + significant_digits(100 * share, 2) + " %" : "+- 0 %";
}

}  // namespace tilemeter
