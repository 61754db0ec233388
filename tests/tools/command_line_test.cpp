#include <random>

#include "model/suggest.hpp"
#include "tests/support/catch.hpp"
#include "tools/errors/fault.hpp"
#include "tools/errors/line.hpp"
#include "tools/json.hpp"
#include "tools/output/colour.hpp"
#include "tools/output/number.hpp"
#include "tools/sweep/progress.hpp"

namespace tilemeter {
namespace {

const Command* command_called(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

TEST_CASE("a message of any form is taken apart without harm") {
  const CommandWords given{
      .command = command_called("count"),
      .words = {"--algorithm", "flash4,x", "--set", "sm.count=", "--output", "", "-", "--", "a: b.toml"}};
  const std::vector<std::string> pieces = {"--algorithm",
                                           "-o",
                                           "--set",
                                           " ",
                                           ": ",
                                           "\"",
                                           "\\",
                                           "flash4",
                                           "...",
                                           "expected ",
                                           "one of ",
                                           ", ",
                                           "unknown key ",
                                           "unknown option ",
                                           "a: b.toml",
                                           "found ",
                                           "(did you mean \"",
                                           "\"?)",
                                           " needs ",
                                           "s are: ",
                                           "=",
                                           "-",
                                           "count ",
                                           "is missing"};
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::string message;
    const auto length = random() % 8;
    for (unsigned long piece = 0; piece < length; ++piece) message += pieces[random() % pieces.size()];
    INFO(message);
    const Json line = Json::parse(json_line("error", message, given));
    REQUIRE(line["error"]["message"] == message);
    const Fault fault = fault_of(message, given);
    if (fault.value) REQUIRE((message.find("...") != std::string::npos || fault.value->size() <= message.size()));
  }
}

TEST_CASE("a value that a message cuts short is given whole") {
  const std::string value(300, 'x');
  const CommandWords given{.command = command_called("count"), .words = {"--dtype", value}};
  const Fault fault = fault_of("--dtype " + std::string(200, 'x') + "...: expected one of fp64, fp32", given);
  REQUIRE(fault.option == "--dtype");
  REQUIRE(fault.value == value);
  REQUIRE(fault.choices == std::vector<std::string>{"fp64", "fp32"});
}

TEST_CASE("an option is called as messages call it, and read under every name") {
  const CommandWords given{.command = command_called("count"), .words = {"--output=a/b.json"}};
  const Fault fault = fault_of("-o a/b.json: cannot write the file: it is a directory", given);
  REQUIRE(fault.option == "-o");
  REQUIRE(fault.value == "a/b.json");
  REQUIRE_FALSE(fault.accepted);
}

TEST_CASE("the nearest name: fewest edits, then nearest characters") {
  const std::vector<std::string_view> names = {"flash1", "flash2", "flash3", "split_kv"};
  REQUIRE(closest("flash4", names) == "flash3");
  REQUIRE(closest("flash0", names) == "flash1");
  REQUIRE(closest("FLASH2", names) == "flash2");
  REQUIRE(closest("flahs2", names) == "flash2");
  REQUIRE(closest("split-kv", names) == "split_kv");
  REQUIRE_FALSE(closest("mamba", names));
  REQUIRE_FALSE(closest("", names));
}

TEST_CASE("styles take no width, and show only where they are wanted") {
  REQUIRE(styled(Style::good, "equal") == "equal");
  set_colours(Colours::on);
  const std::string equal = styled_verdict("equal");
  const std::string remarked = styled_verdict("equal; off: a source rounds");
  const std::string different = styled_verdict("DIFFERS: 1 against 2");
  set_colours(Colours::off);
  REQUIRE(equal == "\033[32mequal\033[0m");
  REQUIRE(remarked == equal + "; off: a source rounds");
  REQUIRE(different == "\033[31mDIFFERS: 1 against 2\033[0m");
  REQUIRE(visible_width(equal) == 5);
  REQUIRE(pad_left(equal, 7) == "  " + equal);
  REQUIRE(pad_right(equal, 7) == equal + "  ");
}

TEST_CASE("the rate is that of the last half minute, or since the last point") {
  using std::chrono::seconds;
  const Rate::Time start{};
  Rate rate(start);
  REQUIRE_FALSE(rate.per_second());
  rate.add(start + seconds(10), 100);
  REQUIRE(*rate.per_second() == Approx(10));
  for (int second = 20; second <= 120; second += 10)
    rate.add(start + seconds(second), 100 + static_cast<std::size_t>(second) / 10);
  REQUIRE(*rate.per_second() == Approx(0.1));
  rate.add(start + seconds(1120), 112);
  REQUIRE(*rate.per_second() < 0.01);
}

TEST_CASE("a bar fits its window") {
  REQUIRE(progress_text(10, 40, 2.0, 80) == "[#######                       ] 10 of 40 points, 2.0/s, 15 s left");
  REQUIRE(progress_text(10, 40, 0.25, 80) ==
          "[#######                       ] 10 of 40 points, 4.0 s a point, 2 min 0 s left");
  REQUIRE(progress_text(40, 40, 2.0, 80) == "[##############################] 40 of 40 points");
  REQUIRE(progress_text(0, 40, std::nullopt, 80) == "[                              ] 0 of 40 points");
  REQUIRE(progress_text(1, 100000, 1.0, 80).ends_with(", 1.0/s, 27 h 46 min left"));
  for (std::size_t columns = 1; columns < 100; ++columns) {
    REQUIRE(progress_text(10, 40, 0.0001, columns).size() < columns);
  }
}

}  // namespace
}  // namespace tilemeter
