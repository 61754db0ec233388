// Pieces of text that every option parser needs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace tilemeter {

/// The parts of `text` between separators; empty parts are kept.
std::vector<std::string_view> split(std::string_view text, char separator);

/// "a, b, c".
std::string join(std::span<const std::string_view> words, std::string_view separator = ", ");

/// `word` looked up among the words of `text`, which are separated by spaces.
bool has_word(std::string_view text, std::string_view word);

/// A decimal integer of at least `minimum` and at most 2^63 - 1. Throws InputError that names `option` and `text`.
Count parse_count(std::string_view option, std::string_view text, Count minimum);

/// The start of a message about a value: "--seq 0".
std::string quote(std::string_view option, std::string_view value);

}  // namespace tilemeter
