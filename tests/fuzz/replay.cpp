// Runs targets on their seeds and on mutations of them, the same ones every time: what CI does in the place of a
// fuzzer. usage: fuzz_replay RUNS [TARGET...]; fuzz_replay --file TARGET PATH runs one text, such as a finding.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>

#include "model/error.hpp"
#include "tests/fuzz/mutations.hpp"
#include "tests/fuzz/targets.hpp"
#include "tools/options/text.hpp"

namespace {

using namespace tilemeter;

constexpr std::uint64_t seed = 20261130;
constexpr std::size_t longest = 1 << 15;

/// Where a finding's text is left for `--file`.
void keep(const fuzz::Target& target, const std::string& text) {
  const std::string path = "finding_" + std::string(target.name);
  std::ofstream(path, std::ios::binary) << text;
  std::fprintf(stderr, "the text is in %s: fuzz_replay --file %s %s\n", path.c_str(), std::string(target.name).c_str(),
               path.c_str());
}

/// Whether nothing was found.
bool replay(const fuzz::Target& target, Count runs) {
  const std::vector<std::string> seeds = fuzz::seed_texts(target, longest);
  if (seeds.empty()) throw InputError("target " + std::string(target.name) + " has no seeds");
  std::mt19937_64 random(seed);
  std::string text;
  try {
    for (const std::string& whole : seeds) fuzz::run(target, text = whole);
    for (Count i = 0; i < runs; ++i) {
      text = fuzz::mutated(seeds[static_cast<std::size_t>(i) % seeds.size()], seeds, random);
      fuzz::run(target, text);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", std::string(target.name).c_str(), error.what());
    keep(target, text);
    return false;
  }
  std::printf("%s: %zu seeds, %lld mutations, seed %llu\n", std::string(target.name).c_str(), seeds.size(),
              static_cast<long long>(runs), static_cast<unsigned long long>(seed));
  return true;
}

int run_file(const std::string& name, const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  fuzz::run(fuzz::target_named(name), text.str());
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "--file") return run_file(words[1], words[2]);
  if (words.empty()) throw InputError("expected RUNS [TARGET...] or --file TARGET PATH");
  const Count runs = parse_count("RUNS", words[0], 0);
  bool clean = true;
  for (const fuzz::Target& target : fuzz::targets()) {
    const bool wanted = words.size() == 1 || std::find(words.begin() + 1, words.end(), target.name) != words.end();
    if (wanted) clean = replay(target, runs) && clean;
  }
  return clean ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_replay: %s\n", error.what());
    return 2;
  }
}
