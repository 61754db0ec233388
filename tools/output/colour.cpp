#include "tools/output/colour.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tools/options/choice.hpp"
#include "tools/sweep/ranks/launch.hpp"

namespace tilemeter {
namespace {

enum class When { automatic, always, never };
constexpr std::array<Choice<When>, 3> when_words = {
    {{"auto", When::automatic}, {"always", When::always}, {"never", When::never}}};
constexpr std::array colour_options = {
    OptionSpec{"--color", "WHEN", "colours in tables: auto (on a terminal, without NO_COLOR), always, never"}.among(
        known_words<when_words>),
};

constexpr std::string_view style_end = "\033[0m";
constexpr std::array good_words = {"equal",           "= closed form", "count = formula", "same order", "agrees",
                                   "above the bound", "kept"};
constexpr std::array bad_words = {"DIFFER", "does not fit", "failed", "missed"};

// Set once, before any thread starts.
Colours colours_now = Colours::off;

std::string_view style_start(Style style) {
  switch (style) {
    case Style::heading:
      return "\033[1m";
    case Style::unit:
      return "\033[2m";
    case Style::good:
      return "\033[32m";
    case Style::bad:
      return "\033[31m";
  }
  return "";
}

/// A variable of the environment that is there and not empty.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Launchers of MPI jobs give each process a terminal of its own, wherever the output goes.
bool on_a_terminal() {
  if (launched()) return false;
  const std::string_view terminal = variable("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && !terminal.empty() && terminal != "dumb" && variable("NO_COLOR").empty();
}

template <class Words>
bool starts_with_one_of(std::string_view text, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
}

}  // namespace

std::span<const OptionSpec> colour_option_specs() { return colour_options; }

Colours colours_for(const Arguments& arguments) {
  const auto text = arguments.find("--color");
  const When when = text ? parse_choice("--color", *text, when_words) : When::automatic;
  const bool table = !arguments.has("-o") && arguments.find("--format").value_or("table") == "table";
  const bool wanted = when == When::always || (when == When::automatic && on_a_terminal());
  return table && wanted ? Colours::on : Colours::off;
}

void set_colours(Colours colours) { colours_now = colours; }

std::string styled(Style style, std::string_view text) {
  if (colours_now == Colours::off || text.empty()) return std::string(text);
  return std::string(style_start(style)).append(text).append(style_end);
}

std::string styled_verdict(std::string_view text) {
  const bool good = starts_with_one_of(text, good_words);
  if (!good && !starts_with_one_of(text, bad_words)) return std::string(text);
  const std::size_t end = std::min(text.find(';'), text.size());
  return styled(good ? Style::good : Style::bad, text.substr(0, end)) + std::string(text.substr(end));
}

std::size_t visible_width(std::string_view text) {
  std::size_t width = text.size();
  for (std::size_t start = text.find('\033'); start != std::string_view::npos; start = text.find('\033', start + 1)) {
    const std::size_t end = text.find('m', start);
    if (end == std::string_view::npos) break;
    width -= end - start + 1;
  }
  return width;
}

}  // namespace tilemeter
