// Small damages of a text, by a seed.
#pragma once

#include <random>
#include <span>
#include <string>

namespace tilemeter::fuzz {

/// `text` with one to four damages: bytes changed, left out, repeated or exchanged, words of `others` and awkward ones
/// put in, the end cut off. The same for the same state of `random`, on every system.
std::string mutated(std::string text, std::span<const std::string> others, std::mt19937_64& random);

}  // namespace tilemeter::fuzz
