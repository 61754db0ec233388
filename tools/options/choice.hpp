// Words that stand for values.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tools/options/text.hpp"

namespace tilemeter {

template <class Value>
struct Choice {
  std::string_view word;
  Value value;
};

/// The value that `text` names. Throws InputError that lists the words.
template <class Value, std::size_t n>
Value parse_choice(std::string_view option, std::string_view text, const std::array<Choice<Value>, n>& choices) {
  std::string words;
  for (const Choice<Value>& choice : choices) {
    if (choice.word == text) return choice.value;
    words += (words.empty() ? "" : ", ") + std::string(choice.word);
  }
  throw InputError(quote(option, text) + ": expected one of " + words);
}

/// The values that a comma-separated list names.
template <class Value, std::size_t n>
std::vector<Value> parse_choices(std::string_view option, std::string_view text,
                                 const std::array<Choice<Value>, n>& choices) {
  std::vector<Value> values;
  for (const std::string_view item : split(text, ',')) values.push_back(parse_choice(option, item, choices));
  return values;
}

}  // namespace tilemeter
