#include "tools/errors/accepted.hpp"

#include <algorithm>
#include <array>

#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

enum class Keeps { rest, phrase };

/// How messages begin to say what is accepted. Some phrases are a part of it: "at least 1".
struct Phrase {
  std::string_view text;
  Keeps keeps = Keeps::rest;
};
constexpr std::array phrases = {Phrase{"expected "},
                                Phrase{"; choose from "},
                                Phrase{"accepted are "},
                                Phrase{"accepted is "},
                                Phrase{"name one of: "},
                                Phrase{"s are: "},
                                Phrase{"must be "},
                                Phrase{" needs "},
                                Phrase{"at least ", Keeps::phrase},
                                Phrase{"; choose "},
                                Phrase{"use smaller sizes", Keeps::phrase}};

/// Phrases that a list of words follows.
constexpr std::array lists = {std::string_view{"one of the commands "}, std::string_view{"one of: "},
                              std::string_view{"one of "}};

constexpr std::string_view allows = " allows ";

/// Whether `message` says what does not fit: "X needs 4539.1 KiB ...; h200 allows 227.0 KiB a block; nearest that fit:
/// 64x64".
bool is_capacity(std::string_view message) {
  const std::size_t at = message.find(allows);
  return at != std::string_view::npos && message.find(" needs ") < at;
}

/// "at most 227.0 KiB a block; nearest that fit: 64x64", or what is expected instead. Nothing where several limits are
/// passed, since the sentence about the first ends in the need for the second.
std::optional<std::string> capacity_in(std::string_view message) {
  constexpr std::string_view expected = "; expected ";
  const std::string_view rest = message.substr(message.find(allows) + allows.size());
  if (const std::size_t at = rest.find(expected); at != std::string_view::npos) {
    return std::string(rest.substr(at + expected.size()));
  }
  if (rest.find(allows) != std::string_view::npos) return std::nullopt;
  return "at most " + std::string(rest);
}

std::string_view first_phrase(std::string_view message) {
  std::size_t first = std::string_view::npos;
  std::string_view rest;
  for (const Phrase& phrase : phrases) {
    const std::size_t at = message.find(phrase.text);
    if (at >= first) continue;
    first = at;
    rest = message.substr(phrase.keeps == Keeps::phrase ? at : at + phrase.text.size());
  }
  return rest;
}

/// The words of "a, b, c" or "a b c", up to an alternative in words (", or a path"). Empty where it is no list.
std::vector<std::string> words_of_list(std::string_view text) {
  for (const std::string_view start : lists) {
    if (!text.starts_with(start)) continue;
    text.remove_prefix(start.size());
    break;
  }
  for (const std::string_view end : {", or ", "; or "}) text = text.substr(0, text.find(end));
  std::vector<std::string> words;
  const bool commas = text.find(", ") != std::string_view::npos;
  for (std::string_view word : split(text, commas ? ',' : ' ')) {
    if (commas && word.starts_with(' ')) word.remove_prefix(1);
    if (word.empty() || word.find(' ') != std::string_view::npos) return {};
    words.emplace_back(word);
  }
  return words;
}

/// Lists of words without commas come after "are: " and "one of: " only; elsewhere blanks part a sentence.
bool may_be_list(std::string_view message, std::string_view accepted) {
  const std::string_view before = message.substr(0, message.size() - accepted.size());
  return accepted.find(", ") != std::string_view::npos || before.ends_with(": ") || accepted.starts_with("one of ");
}

}  // namespace

Accepted accepted_in(std::string_view message) {
  if (is_capacity(message)) return {.words = capacity_in(message), .choices = {}};
  const std::string_view rest = first_phrase(message);
  if (rest.empty()) return {};
  Accepted accepted{.words = std::string(rest), .choices = {}};
  if (may_be_list(message, rest)) accepted.choices = words_of_list(rest);
  return accepted;
}

std::optional<std::string> suggestion_in(std::string_view message) {
  constexpr std::string_view start = "(did you mean \"";
  const std::size_t at = message.find(start);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = message.substr(at + start.size());
  return std::string(rest.substr(0, rest.find("\"?)")));
}

}  // namespace tilemeter
