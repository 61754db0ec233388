// Numbers and units as ncu prints them.
#include "traces/ncu/printed_number.hpp"

#include <clocale>
#include <cmath>

#include "model/error.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::ncu;

namespace {

Count value(std::string_view text, std::string_view unit, Quantity quantity) {
  return whole_of({text, unit}, quantity, "m").value;
}

}  // namespace

TEST_CASE("units are converted exactly") {
  CHECK(value("1,116,558,920", "byte", Quantity::bytes) == 1116558920);
  CHECK(value("1.23", "Kbyte", Quantity::bytes) == 1230);
  CHECK(value("66.56", "Mbyte", Quantity::bytes) == 66560000);
  CHECK(value("2.28", "Gbyte", Quantity::bytes) == 2280000000);
  CHECK(value("1.5", "Tbyte", Quantity::bytes) == 1500000000000);
  CHECK(value("71,294,888", "sector", Quantity::bytes) == 71294888LL * 32);
  CHECK(value("9,007,199,254,740,993", "byte", Quantity::bytes) == 9007199254740993);  // 2^53 + 1: no double holds it
  CHECK(value("-5", "byte", Quantity::bytes) == -5);
  for (const auto& [unit, picoseconds] : {std::pair<std::string_view, Count>{"ns", 1'000},
                                          {"nsecond", 1'000},
                                          {"us", 1'000'000},
                                          {"usecond", 1'000'000},
                                          {"ms", 1'000'000'000},
                                          {"msecond", 1'000'000'000},
                                          {"s", 1'000'000'000'000},
                                          {"second", 1'000'000'000'000}}) {
    CHECK(value("1.25", unit, Quantity::seconds) == picoseconds + picoseconds / 4);
  }
  CHECK(value("1,642,123", "cycle", Quantity::cycles) == 1642123);
  CHECK(value("69206016", "inst", Quantity::instructions) == 69206016);
  CHECK(real_of({"86.64", "%"}, Quantity::percent, "m") == 86.64);
  CHECK(real_of({"1.5", "Ghz"}, Quantity::hertz, "m") == 1.5e9);
  CHECK(real_of({"1,797,000,000.25", "hz"}, Quantity::hertz, "m") == 1797000000.25);
  CHECK(real_of({"1.5", "cycle/nsecond"}, Quantity::hertz, "m") == 1.5e9);
  CHECK(std::isnan(real_of({"nan", "%"}, Quantity::percent, "m")));
}

TEST_CASE("the last printed digit is known") {
  CHECK(whole_of({"2.28", "Gbyte"}, Quantity::bytes, "m").step == 10'000'000);
  CHECK(whole_of({"1,234", "byte"}, Quantity::bytes, "m").step == 1);
  CHECK(whole_of({"12.00", "byte"}, Quantity::bytes, "m").step == 1);
}

TEST_CASE("what is no number is refused with the text") {
  for (const std::string text :
       {"",      "-",       "abc",   "1,23", "12,34", "1234,567", "1,2345", ",123", "123,", "1.",  ".5",
        "1.2.3", "1.234,5", "1 234", "1e6",  "0x10",  "+1",       " 1",     "1 ",   "--1",  "nan", "n/a"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(value(text, "byte", Quantity::bytes),
                      "m is \"" + text + "\"; a number such as 1,234.5 is accepted");
  }
  CHECK_THROWS_WITH(value("0.5", "byte", Quantity::bytes), contains("m is \"0.5\" byte, no whole number"));
  CHECK_THROWS_WITH(value("1.2345", "Kbyte", Quantity::bytes), contains("no whole number"));
  CHECK_THROWS_AS(value("9,223,372,036,854,775,808", "byte", Quantity::bytes), FigureOverflow);
  CHECK_THROWS_AS(value(std::string(39, '9'), "Tbyte", Quantity::bytes), FigureOverflow);
}

TEST_CASE("a unit that the quantity does not have is refused with those it has") {
  CHECK_THROWS_WITH(value("1", "furlong", Quantity::bytes),
                    "m is in \"furlong\"; accepted units: byte Kbyte Mbyte Gbyte Tbyte sector");
  CHECK_THROWS_WITH(value("1", "KiB", Quantity::bytes), contains("accepted units"));
  CHECK_THROWS_WITH(value("1", "byte", Quantity::seconds),
                    "m is in \"byte\"; accepted units: ns nsecond us usecond ms msecond s second");
  CHECK_THROWS_WITH(value("1", "sector", Quantity::cycles), "m is in \"sector\"; accepted units: cycle");
  CHECK_THROWS_WITH(real_of({"1", ""}, Quantity::percent, "m"), "m is in \"\"; accepted units: %");
}
