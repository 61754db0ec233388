// Layout files: what they mean, and what is wrong in them, with file and key.
#include "model/layout_file.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

const std::string good_layout = R"(name = "mine"
threads = 128
registers = 200
grid = [1, 4, 65538]

[[tile]]
name = "Q"
rows = 64
cols = 128
type = "bf16"
space = "shared"

[[tile]]
name = "K"
rows = 32
cols = 128
type = "bf16"
copies = 2
space = "shared"

[[tile]]
name = "O"
rows = 64
cols = 128
type = "fp32"
space = "registers"

[[extra]]
name = "barriers"
size = "96 B"

[supported]
arch = ["sm_80", "sm_90a"]
reason = "no kernel with dropout elsewhere"
)";

std::string changed_layout(const std::string& from, const std::string& to) {
  std::string text = good_layout;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

BlockLayout layout_in(const std::string& text) { return parse_layout(text, "mine.toml"); }

void refuse(const std::string& from, const std::string& to, const std::string& message) {
  CAPTURE(from, to);
  CHECK_THROWS_WITH(layout_in(changed_layout(from, to)), contains("mine.toml: " + message));
}

}  // namespace

TEST_CASE("a layout file is read as it says") {
  const BlockLayout layout = layout_in(good_layout);
  CHECK(layout.plan.name == "mine");
  CHECK(layout.plan.threads == 128);
  CHECK(layout.plan.registers == 200);
  CHECK(*layout.grid == LaunchGrid{1, 4, 65538});
  REQUIRE(layout.plan.tiles.size() == 4);
  CHECK(layout.plan.tiles[1].bytes() == Bytes(2 * 32 * 128 * 2));
  CHECK(layout.plan.tiles[1].dtype == DType::bf16);
  CHECK(layout.plan.tiles[2].space == Space::registers);
  CHECK(layout.plan.tiles[3].bytes() == Bytes(96));
  CHECK(footprint_of(layout.plan.tiles).shared == Bytes(16384 + 16384 + 96));
  CHECK(footprint_of(layout.plan.tiles).registers == Bytes(32768));
}

TEST_CASE("a restriction to targets ignores their suffix") {
  const BlockLayout layout = layout_in(good_layout);
  CHECK_FALSE(layout.unsupported_on(load_device("a100-80gb")).has_value());
  CHECK_FALSE(layout.unsupported_on(load_device("h200")).has_value());
  CHECK(*layout.unsupported_on(load_device("rtx3090")) ==
        "mine is not supported on rtx3090 (sm_86): no kernel with dropout elsewhere; it exists for sm_80 sm_90a");
}

TEST_CASE("an unknown key is refused with the keys there are") {
  refuse("threads = 128", "threads = 128\nthread = 1",
         "unknown key \"thread\" (did you mean \"threads\"?); the keys are: name threads");
  refuse("copies = 2", "stages = 2", "tile[2]: unknown key \"stages\"; the keys are: name rows cols type copies space");
  refuse("size = \"96 B\"", "bytes = 96", "extra[1]: unknown key \"bytes\"");
  refuse("arch =", "archs =", "supported: unknown key \"archs\"");
}

TEST_CASE("a missing key is refused") {
  refuse("name = \"mine\"\n", "", "name is missing");
  refuse("threads = 128", "", "threads is missing");
  refuse("rows = 64", "", "tile[1].rows is missing; expected a whole number");
  refuse("space = \"registers\"", "", "tile[3].space is missing; expected \"shared\" or \"registers\"");
  refuse("size = \"96 B\"", "", "extra[1].size is missing");
  refuse("arch = [\"sm_80\", \"sm_90a\"]", "", "supported.arch is missing");
  refuse("reason = \"no kernel with dropout elsewhere\"", "", "supported.reason is missing");
  CHECK_THROWS_WITH(layout_in("name = \"mine\"\nthreads = 32\n"), contains("mine.toml: tile is missing"));
}

TEST_CASE("a wrong type, unit or size is refused") {
  refuse("threads = 128", "threads = \"128\"", "threads: found the text \"128\"; expected a whole number of 1 to 1024");
  refuse("threads = 128", "threads = 1025", "threads: found 1025; expected a whole number of 1 to 1024");
  refuse("threads = 128", "threads = 1.5", "threads: found a number with a fraction");
  refuse("registers = 200", "registers = 256", "registers: found 256; expected a whole number of 1 to 255");
  refuse("rows = 64", "rows = 0", "tile[1].rows: found 0; expected a whole number of 1 to 1000000000");
  refuse("rows = 64", "rows = -1", "tile[1].rows: found -1");
  refuse("copies = 2", "copies = true", "tile[2].copies: found true or false");
  refuse("type = \"bf16\"", "type = \"half\"", "tile[1].type: found the text \"half\"; expected one of \"fp64\"");
  refuse("space = \"shared\"", "space = \"smem\"", "tile[1].space: found the text \"smem\"; expected \"shared\"");
  refuse("size = \"96 B\"", "size = \"96\"", "extra[1].size");
  refuse("size = \"96 B\"", "size = \"96 KB\"", "extra[1].size");
  refuse("size = \"96 B\"", "size = 96", "extra[1].size: found 96; expected a byte size");
  refuse("grid = [1, 4, 65538]", "grid = [1, 4]", "grid: found 2 elements; expected three whole numbers");
  refuse("grid = [1, 4, 65538]", "grid = [1, 0, 4]", "grid.y: found 0");
  refuse("grid = [1, 4, 65538]", "grid = 7", "grid: found 7; expected three whole numbers");
  refuse("[\"sm_80\", \"sm_90a\"]", "[\"ampere\"]", "supported.arch: found the text \"ampere\"");
  refuse("[\"sm_80\", \"sm_90a\"]", "[]", "supported.arch is missing or empty");
  refuse("name = \"K\"", "name = \"Q\"", "tile[2].name \"Q\" is given twice");
  refuse("name = \"barriers\"", "name = \" \"", "extra[1].name: found the text \" \"");
  CHECK_THROWS_WITH(layout_in("name = \"mine\"\nthreads = 32\ntile = 3\n"),
                    contains("mine.toml: tile: found 3; expected tables [[tile]]"));
  CHECK_THROWS_WITH(layout_in("name = \"mine\"\nthreads = 32\ntile = [3]\n"),
                    contains("mine.toml: tile[1]: found 3; expected a table with the keys"));
  CHECK_THROWS_WITH(layout_in("name ="), contains("mine.toml:1:") && contains("not a TOML file"));
}

TEST_CASE("tiles past 2^63 - 1 bytes are an error of the file") {
  const std::string huge = "rows = 1000000000\ncopies = 1000000000";
  CHECK_THROWS_WITH(layout_in(changed_layout("rows = 64", huge)),
                    contains("mine.toml: the bytes of the tiles would pass 2^63 - 1"));
}

TEST_CASE("random damage to a layout file is an error, never a crash") {
  const std::uint64_t seed = 5;
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::string letters = "[]{}=\"'\n.,0aZ#- \\\xff";
  for (int i = 0; i < 2000; ++i) {
    std::string text = good_layout;
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      if (below(2) == 0)
        text.erase(at, 1 + below(8));
      else
        text.insert(at, 1, letters[below(letters.size())]);
    }
    CAPTURE(seed, i, text);
    try {
      layout_in(text);
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("mine.toml") != std::string::npos);
    }
  }
}
