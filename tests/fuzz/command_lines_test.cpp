// Random command lines in one process: each is read, or refused by an InputError that says what is wrong.
#include "tests/fuzz/command_lines.hpp"

#include <algorithm>
#include <cstdio>

#include "model/error.hpp"
#include "tests/fuzz/random_lines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"
#include "tools/command.hpp"

using namespace tilemeter;
using namespace tilemeter::fuzz;

namespace {

constexpr std::uint64_t lines_seed = 20261130;

std::string joined(const std::vector<std::string>& words) {
  std::string text = "tilemeter";
  for (const std::string& word : words) text += " " + word;
  return text;
}

/// Whether a message says which option it is about: it holds one, or a word that was given. A figure past 2^63 - 1 has
/// a name of its own.
bool names_its_cause(const std::string& message, const std::vector<std::string>& words) {
  if (message.find("--") != std::string::npos || message.find("2^63 - 1") != std::string::npos) return true;
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    return !name.empty() && message.find(name) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("100,000 random command lines are read, or refused by name") {
  std::mt19937_64 random(lines_seed);
  const int lines = testing::repetitions(100'000);
  int read = 0;
  for (int i = 0; i < lines; ++i) {
    const std::vector<std::string> words = random_command_line(random);
    try {
      read_command_line(words);
      ++read;
    } catch (const InputError& error) {
      if (names_its_cause(error.what(), words)) continue;
      FAIL(joined(words) << ": " << error.what());
    } catch (const std::exception& error) {
      FAIL(joined(words) << ": not an InputError: " << error.what());
    }
  }
  std::printf("command lines: seed %llu, %d lines, %d of them read\n", static_cast<unsigned long long>(lines_seed),
              lines, read);
  CHECK(read > lines / 10);
}
