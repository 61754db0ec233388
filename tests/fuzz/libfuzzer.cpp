// libFuzzer's side: tilemeter_fuzz --target=NAME [libFuzzer's flags] CORPUS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "tests/fuzz/targets.hpp"

namespace {

const tilemeter::fuzz::Target* chosen = nullptr;

}  // namespace

/// libFuzzer leaves flags with two dashes to the target.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--target=";
  try {
    for (int i = 1; i < *argc; ++i) {
      const std::string_view word = (*argv)[i];
      if (word.starts_with(option)) chosen = &tilemeter::fuzz::target_named(word.substr(option.size()));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilemeter_fuzz: %s\n", error.what());
    std::exit(2);
  }
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "tilemeter_fuzz: expected --target=NAME\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tilemeter::fuzz::run(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
