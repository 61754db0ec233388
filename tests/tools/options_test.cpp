#include "tests/support/catch.hpp"
#include "tools/options/mask.hpp"
#include "tools/options/range.hpp"
#include "tools/options/segments.hpp"
#include "tools/options/text.hpp"

using namespace tilemeter;

namespace {

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string counts_message(std::string_view text, Count minimum = 1) {
  return message_of([&] { parse_counts("--seq", text, minimum); });
}

std::string size_message(std::string_view text) {
  return message_of([&] { parse_size("--sram", text); });
}

}  // namespace

TEST_CASE("sizes are whole numbers with a binary suffix or el") {
  CHECK(parse_size("--sram", "100KiB") == Size{102400, SizeUnit::bytes});
  CHECK(parse_size("--sram", "227KiB") == Size{232448, SizeUnit::bytes});
  CHECK(parse_size("--sram", "1677721600B") == Size{1677721600, SizeUnit::bytes});
  CHECK(parse_size("--sram", "3GiB") == Size{3221225472, SizeUnit::bytes});
  CHECK(parse_size("--sram", "50000el") == Size{50000, SizeUnit::elements});
}

TEST_CASE("other sizes are refused by name and value") {
  for (const char* text : {"", "100", "KiB", "100KB", "100kib", "100 KiB", "-1KiB", "1.5KiB", "1e3B", "100KiBx", "0KiB",
                           "50000EL", "+5B"}) {
    CAPTURE(text);
    CHECK_THAT(size_message(text), contains("--sram"));
  }
  CHECK_THAT(size_message("9223372036854775807KiB"), contains("too large"));
  CHECK_THAT(size_message("99999999999999999999B"), contains("too large"));
  CHECK_THAT(size_message("100KB"), contains("KiB, MiB, GiB (bytes) or el"));
}

TEST_CASE("a size prints with its largest exact suffix") {
  CHECK(to_string(Size{102400, SizeUnit::bytes}) == "100KiB");
  CHECK(to_string(Size{65538, SizeUnit::bytes}) == "65538B");
  CHECK(to_string(Size{50000, SizeUnit::elements}) == "50000el");
}

TEST_CASE("lists and ranges keep their order and include an end that is reached") {
  using Counts = std::vector<Count>;
  CHECK(parse_counts("--seq", "4096", 1) == Counts{4096});
  CHECK(parse_counts("--seq", "3,1,2", 1) == Counts{3, 1, 2});
  CHECK(parse_counts("--seq", "1:8:*2", 1) == Counts{1, 2, 4, 8});
  CHECK(parse_counts("--seq", "1:9:x2", 1) == Counts{1, 2, 4, 8});
  CHECK(parse_counts("--seq", "64:256:+64", 1) == Counts{64, 128, 192, 256});
  CHECK(parse_counts("--seq", "64:255:+64", 1) == Counts{64, 128, 192});
  CHECK(parse_counts("--seq", "5:5:*2", 1) == Counts{5});
  CHECK(parse_counts("--seq", "7,1:4:*2,9", 1) == Counts{7, 1, 2, 4, 9});
  CHECK(parse_counts("--seq-k", "0,4", 0) == Counts{0, 4});
}

TEST_CASE("a range near 2^63 ends instead of wrapping") {
  CHECK(parse_counts("--seq", "4611686018427387904:9223372036854775807:*2", 1) == std::vector<Count>{Count{1} << 62});
  CHECK(parse_counts("--seq", "9223372036854775806:9223372036854775807:+5", 1).size() == 1);
}

TEST_CASE("bad ranges are refused with the reason") {
  CHECK_THAT(counts_message("0"), contains("--seq 0 is too small"));
  CHECK_THAT(counts_message("-4"), contains("--seq -4"));
  CHECK_THAT(counts_message("abc"), contains("--seq abc is not a whole number"));
  CHECK_THAT(counts_message("1.5"), contains("not a whole number"));
  CHECK_THAT(counts_message("99999999999999999999"), contains("too large"));
  CHECK_THAT(counts_message(""), contains("--seq \"\""));
  CHECK_THAT(counts_message("1,"), contains("--seq"));
  CHECK_THAT(counts_message("8:4:*2"), contains("starts above its end"));
  CHECK_THAT(counts_message("1:8"), contains("has no step"));
  CHECK_THAT(counts_message("1:8:2"), contains("no step of the form"));
  CHECK_THAT(counts_message("1:8:*1"), contains("--seq 1:8:*1: factor 1 is too small"));
  CHECK_THAT(counts_message("1:8:+0"), contains("--seq 1:8:+0: step 0 is too small"));
  CHECK_THAT(counts_message("1:8:*2:9"), contains("too many parts"));
  CHECK_THAT(counts_message("0:8:*2", 0), contains("multiplies from 0"));
  CHECK_THAT(counts_message("1:2000000:+1"), contains("more than 1000000 values"));
}

TEST_CASE("ranges of sizes keep to one unit") {
  const auto sizes = parse_sizes("--sram", "16KiB:64KiB:*2,12500el");
  REQUIRE(sizes.size() == 4);
  CHECK(sizes[2] == Size{65536, SizeUnit::bytes});
  CHECK(sizes[3] == Size{12500, SizeUnit::elements});
  CHECK(parse_sizes("--sram", "12500el:50000el:+12500el").size() == 4);
  CHECK_THAT(message_of([] { parse_sizes("--sram", "16KiB:50000el:*2"); }), contains("mixes bytes and elements"));
  CHECK_THAT(message_of([] { parse_sizes("--sram", "16KiB:64KiB:+100el"); }), contains("mixes bytes and elements"));
  CHECK_THAT(message_of([] { parse_sizes("--sram", "64KiB:16KiB:*2"); }), contains("starts above its end"));
}

TEST_CASE("masks in lists") {
  const auto masks = parse_masks("--mask", "none,causal,causal_top_left,window:100:0,window:-1:5");
  REQUIRE(masks.size() == 5);
  CHECK(masks[1].kind == MaskKind::causal);
  CHECK(to_string(masks[2]) == "causal_top_left");
  CHECK(masks[3].left == Count{100});
  CHECK_FALSE(masks[4].left.has_value());
  CHECK(to_string(masks[4]) == "window:-1:5");
  for (const char* text : {"", "causl", "window", "window:1", "window:a:0", "window:1:-3", "window:1:2:3"}) {
    CAPTURE(text);
    CHECK_THAT(message_of([&] { parse_masks("--mask", text); }), contains("--mask"));
  }
}

TEST_CASE("a window's side is -1 or at least 0") {
  CHECK(parse_window("--window", "256,0").right == Count{0});
  CHECK_FALSE(parse_window("--window", "-1,0").left.has_value());
  CHECK_THAT(message_of([] { parse_window("--window", "5,-3"); }), contains("-3"));
  CHECK_THAT(message_of([] { parse_window("--window", "5"); }), contains("LEFT,RIGHT"));
}

TEST_CASE("causal ends a window at the row itself, and contradicts one that looks ahead") {
  CHECK(to_string(causal_window(parse_window("--window", "100,-1"))) == "window:100:0");
  CHECK(to_string(causal_window(parse_window("--window", "100,0"))) == "window:100:0");
  CHECK_THAT(message_of([] { causal_window(parse_window("--window", "100,5")); }), contains("--causal contradicts"));
}

TEST_CASE("segments are two lengths a line") {
  const auto segments = parse_segments("lengths.txt", "# queries keys\n0 2538\n\n1208\t1742  # second\n 840 840\r\n");
  CHECK(segments == std::vector<Segment>{{0, 2538}, {1208, 1742}, {840, 840}});
  CHECK_THAT(message_of([] { parse_segments("f", "1 2\n3\n"); }), contains("f, line 2"));
  CHECK_THAT(message_of([] { parse_segments("f", "1 -2\n"); }), contains("line 1"));
  CHECK_THAT(message_of([] { parse_segments("f", "# nothing\n"); }), contains("found none"));
  CHECK_THAT(message_of([] { load_segments("/nonexistent/lengths"); }), contains("/nonexistent/lengths"));
}
