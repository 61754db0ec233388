// The readers of other people's text, each as one function that a fuzzer can call.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilemeter::fuzz {

struct Target {
  std::string_view name;
  /// Folders and files of real input, from the root of the sources; of a folder, the files with this ending.
  std::vector<std::string_view> seeds;
  std::string_view ending;
  /// Reads `text`. Only InputError may leave it, which `run` takes.
  void (*read)(std::string_view text);
};

std::span<const Target> targets();

/// The target of that name. Throws InputError that lists the names.
const Target& target_named(std::string_view name);

/// Reads `text`; refuses nothing but what is refused in words. Throws std::logic_error for an InputError without a
/// message, and whatever else the reader throws: those are findings.
void run(const Target& target, std::string_view text);

/// The texts of a target's seeds, and of tests/fuzz/corpus/NAME, in the order of their paths. Longer ones than
/// `longest` are left out.
std::vector<std::string> seed_texts(const Target& target, std::size_t longest);

}  // namespace tilemeter::fuzz
