#include "tests/fuzz/random_lines.hpp"

#include <array>
#include <map>
#include <span>
#include <string_view>

#include "tests/fuzz/draw.hpp"
#include "tools/command.hpp"

namespace tilemeter::fuzz {
namespace {

using Words = std::vector<std::string_view>;

/// Values that an option takes somewhere, by what its help calls its value.
const std::map<std::string_view, Words>& values_by_form() {
  static const Words counts = {"1",  "2",   "3",   "4",   "7",     "8",          "16",
                               "64", "100", "128", "256", "1,2,3", "64:4096:*2", "16:64:+16"};
  static const std::map<std::string_view, Words> values = {
      {"NAME,...",
       {"flash2", "flash1,flash2", "standard", "gemm", "softmax", "split_kv", "flash2_backward", "chunked"}},
      {"MASK,...", {"none", "causal", "window:100:0", "none,causal"}},
      {"LEFT,RIGHT", {"100,0", "-1,4", "4095,-1"}},
      {"TYPE", {"fp64", "fp32", "fp16", "bf16", "fp8", "int8"}},
      {"SIZE", {"100KiB", "50000el", "1MiB", "64KiB:256KiB:*2", "80GB"}},
      {"NAME|FILE.toml", {"h200", "t4", "a100-80gb", "v100", "flash2", "fa2", "h100"}},
      {"KEY=VALUE", {"sm.count=3", "hbm.bandwidth=1TB/s", "l2.size=1MiB"}},
      {"PLACE", {"sram", "gpu"}},
      {"RULE", {"paper", "fit", "optimum"}},
      {"FORMAT", {"table", "csv", "json", "md", "html"}},
      {"STEPS", {"scale", "mask,dropout", "none"}},
      {"S|auto", {"auto", "3"}},
      {"count|numeric", {"count", "numeric"}},
      {"FILE", {"x.json", "x.csv", "/nonexistent/x.json", "no ending"}},
      {"", counts},
  };
  return values;
}

constexpr std::array<std::string_view, 22> wrong = {"",
                                                    "0",
                                                    "-1",
                                                    "abc",
                                                    "1.5",
                                                    "9223372036854775808",
                                                    "99999999999999999999",
                                                    "64:32:*2",
                                                    "1:100000000:+1",
                                                    ",",
                                                    "1,,",
                                                    ":::",
                                                    "\xc3\xa4",
                                                    "=",
                                                    "--seq",
                                                    "nan",
                                                    "1e9",
                                                    "100 KiB",
                                                    "\x1b[31m",
                                                    "*",
                                                    "-",
                                                    "el"};

template <class List>
auto any_of(const List& list, std::mt19937_64& random) {
  return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list), random)));
}

std::string value_of(const OptionSpec& option, std::mt19937_64& random) {
  if (chance(10, random)) return std::string(any_of(wrong, random));
  const auto& values = values_by_form();
  if (chance(5, random)) {
    auto other = values.begin();
    std::advance(other, below(values.size(), random));
    return std::string(any_of(other->second, random));
  }
  const auto own = values.find(option.value);
  if (own != values.end()) return std::string(any_of(own->second, random));
  // Choices such as "row|full" name themselves; what is left are numbers.
  const std::size_t bar = option.value.find('|');
  if (bar != std::string_view::npos && option.value.find('|', bar + 1) == std::string_view::npos) {
    return std::string(chance(50, random) ? option.value.substr(0, bar) : option.value.substr(bar + 1));
  }
  return std::string(any_of(values.at(""), random));
}

void add(std::vector<std::string>& words, const OptionSpec& option, std::mt19937_64& random) {
  const std::string name(option.name());
  if (option.value.empty()) {
    words.push_back(chance(2, random) ? name + "=yes" : name);
  } else if (chance(10, random)) {
    words.push_back(name + "=" + value_of(option, random));
  } else {
    words.push_back(name);
    if (chance(98, random)) words.push_back(value_of(option, random));
  }
}

/// An option by its name, where the subcommand has it.
void add_named(std::vector<std::string>& words, const Command& command, std::string_view name,
               std::mt19937_64& random) {
  for (const OptionSpec& option : command.options) {
    if (option.name() == name) return add(words, option, random);
  }
}

}  // namespace

std::vector<std::string> random_command_line(std::mt19937_64& random) {
  const Command& command = commands()[below(commands().size(), random)];
  std::vector<std::string> words = {std::string(command.name)};
  // Without these there is no point, and nothing else is looked at.
  if (chance(90, random)) add_named(words, command, "--algorithm", random);
  if (chance(85, random)) add_named(words, command, "--seq", random);
  if (chance(60, random)) add_named(words, command, "--device", random);
  for (std::size_t more = below(5, random); more > 0 && !command.options.empty(); --more) {
    add(words, command.options[below(command.options.size(), random)], random);
  }
  if (chance(3, random))
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(below(words.size() + 1, random)),
                 std::string(any_of(wrong, random)));
  return words;
}

}  // namespace tilemeter::fuzz
