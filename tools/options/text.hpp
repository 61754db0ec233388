// Pieces of text that every option parser needs.
#pragma once

#include <limits>
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

/// A decimal integer from `minimum` to `maximum`. Throws InputError that names `option`, `text` and the range.
Count parse_count(std::string_view option, std::string_view text, Count minimum,
                  Count maximum = std::numeric_limits<Count>::max());

/// Refuses a value that a list has twice. Throws InputError.
[[noreturn]] void refuse_repeated(std::string_view option, std::string_view item, std::string_view whole);

/// The parts of a comma-separated list. Throws InputError for one that stands there twice.
std::vector<std::string_view> list_items(std::string_view option, std::string_view text);

/// Refuses a value that is none of `words`, and says which one may be meant. Throws InputError.
[[noreturn]] void refuse_word(std::string_view option, std::string_view value,
                              const std::vector<std::string_view>& words);

/// The start of a message about a value: "--seq 0".
std::string quote(std::string_view option, std::string_view value);

}  // namespace tilemeter
