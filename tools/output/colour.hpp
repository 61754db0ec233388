// Styles of tables for people: escape sequences on a terminal, plain text everywhere else.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/command.hpp"

namespace tilemeter {

enum class Style { heading, unit, good, bad };

enum class Colours { off, on };

/// --color.
std::span<const OptionSpec> colour_option_specs();

/// On where a table goes to a terminal: not with -o, not in another format, not with NO_COLOR or on a dumb terminal.
/// `--color always` and `--color never` decide for tables on standard output whatever is there. Throws InputError.
Colours colours_for(const Arguments& arguments);

/// Whether styles show from now on; off until it is called.
void set_colours(Colours colours);

/// `text` in a style.
std::string styled(Style style, std::string_view text);

/// A verdict, up to a remark after ';', in the style that its first words ask for: "equal" is good, "DIFFERS: ..." bad,
/// others stay as they are.
std::string styled_verdict(std::string_view text);

/// Bytes of `text` without its escape sequences.
std::size_t visible_width(std::string_view text);

}  // namespace tilemeter
