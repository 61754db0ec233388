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

template <class Value, std::size_t n>
std::vector<std::string_view> words_of(const std::array<Choice<Value>, n>& choices) {
  std::vector<std::string_view> words;
  for (const Choice<Value>& choice : choices) words.push_back(choice.word);
  return words;
}

/// The words of one array of choices, as OptionSpec::among takes them.
template <const auto& choices>
std::vector<std::string_view> known_words() {
  return words_of(choices);
}

/// The names of the values of one array, likewise.
template <const auto& values>
std::vector<std::string_view> known_names() {
  std::vector<std::string_view> words;
  for (const auto& value : values) words.push_back(name_of(value));
  return words;
}

/// The value that `text` names. Throws InputError that lists the words.
template <class Value, std::size_t n>
Value parse_choice(std::string_view option, std::string_view text, const std::array<Choice<Value>, n>& choices) {
  for (const Choice<Value>& choice : choices) {
    if (choice.word == text) return choice.value;
  }
  refuse_word(option, text, words_of(choices));
}

/// The values that a comma-separated list names, each once.
template <class Value, std::size_t n>
std::vector<Value> parse_choices(std::string_view option, std::string_view text,
                                 const std::array<Choice<Value>, n>& choices) {
  std::vector<Value> values;
  for (const std::string_view item : list_items(option, text)) values.push_back(parse_choice(option, item, choices));
  return values;
}

}  // namespace tilemeter
