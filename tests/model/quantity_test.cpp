#include "model/quantity.hpp"

#include <array>
#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <random>

#include "model/device.hpp"
#include "model/digits.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

constexpr Count largest_count = std::numeric_limits<Count>::max();

Bytes sized(std::string_view text) { return parse_bytes(text, "--sram"); }

}  // namespace

TEST_CASE("byte sizes are read exactly") {
  CHECK(sized("1 B") == Bytes(1));
  CHECK(sized("227KiB") == Bytes(232448));
  CHECK(sized("  227 \t KiB ") == Bytes(232448));
  CHECK(sized("126.5 MiB") == Bytes(132644864));
  CHECK(sized("1.500000000000000000000000000 KiB") == Bytes(1536));
  CHECK(sized("0.5 KiB") == Bytes(512));
  CHECK(sized("1677721600 B") == Bytes(1677721600));
  CHECK(sized("65538B") == Bytes(65538));
  CHECK(sized("9223372036854775807 B") == Bytes(largest_count));
  CHECK(sized("9007199254740993 B") == Bytes(9007199254740993));  // 2^53 + 1: no double holds it
  CHECK(sized("8589934591.5 GiB") == Bytes((Count{8589934591} << 30) + (1 << 29)));
  CHECK(parse_bytes("80 GB", "hbm.size", ByteUnits::binary_or_decimal) == Bytes(80'000'000'000));
  CHECK(parse_bytes("0 B", "sm.shared_reserved", ByteUnits::binary, Zero::allowed) == Bytes(0));
}

TEST_CASE("byte sizes that are no size are refused with option, value and units") {
  for (const std::string text : {"",        " ",       "KiB",    "100",    "-5 KiB",   "+5 KiB", "0 KiB",   "0.0 B",
                                 "nan KiB", "inf B",   "1e3 B",  "0x10 B", ".5 KiB",   "5. KiB", "1,5 KiB", "1'000 B",
                                 "1_000 B", "1 kib",   "1 KB",   "1 kB",   "1 GB",     "1 TiB",  "1 KiB x", "1 KiB/s",
                                 "1 1 KiB", "1.2.3 B", "1 K iB", "--1 B",  "1 B\n2 B", "\n1 B",  "50000el"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(sized(text), InputError);
    CHECK_THROWS_WITH(sized(text), contains("--sram " + in_quotes(text)) && contains("B KiB MiB GiB"));
  }
  CHECK_THROWS_WITH(sized("0.1 KiB"), contains("--sram \"0.1 KiB\"") && contains("not a whole number of bytes"));
  CHECK_THROWS_WITH(sized("1.00000001 GiB"), contains("not a whole number of bytes"));
  CHECK_THROWS_AS(sized(std::string(5000, '1') + " B"), InputError);
  CHECK_THROWS_AS(sized(std::string("1 B\0x", 5)), InputError);
}

TEST_CASE("byte sizes past 2^63 - 1 are an overflow of that option") {
  for (const std::string text : {"9223372036854775808 B", "8589934592 GiB", "99999999999999999999999999 GiB",
                                 "999999999999999999999999999999999999999 B"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(sized(text), FigureOverflow);
    CHECK_THROWS_WITH(sized(text), contains("--sram " + in_quotes(text)) && contains("2^63 - 1"));
  }
  CHECK(sized("8589934591 GiB") == Bytes(Count{8589934591} << 30));
}

TEST_CASE("counts are whole, positive and bare") {
  CHECK(parse_count("132", "sm.count") == 132);
  CHECK(parse_count(" 9223372036854775807 ", "sm.count") == largest_count);
  CHECK_THROWS_AS(parse_count("9223372036854775808", "sm.count"), FigureOverflow);
  for (const std::string text : {"", "0", "-1", "-9223372036854775809", "+1", "1.0", "1e3", "0x10", "132 SMs", "nan"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_count(text, "sm.count"),
                      contains("sm.count " + in_quotes(text)) && contains("whole number"));
  }
}

TEST_CASE("rates are decimal and correctly rounded") {
  CHECK(parse_bandwidth("3.35 TB/s", "x").value == 3.35e12);
  CHECK(parse_bandwidth("1555GB/s", "x").value == 1555e9);
  CHECK(parse_flops("989.4 TFLOP/s", "x").value == 989.4e12);
  CHECK(parse_flops("2.25 PFLOP/s", "x").value == 2.25e15);
  CHECK(parse_operations("3.87 Top/s", "x").value == 3.87e12);
  CHECK(parse_frequency("1410 MHz", "x").value == 1.41e9);
  CHECK(parse_power("700 W", "x").value == 700);
  CHECK(parse_power("1.2 kW", "x").value == 1200);
}

TEST_CASE("rates in other units are refused with the units that are accepted") {
  for (const std::string text : {"3.35", "3.35 TiB/s", "3.35 tb/s", "3.35 TB", "0 TB/s", "-1 TB/s", "nan TB/s",
                                 "10e9 B/s", "3.35 TB/s peak", "989 TFLOP/s", "0.0000 GB/s"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_bandwidth(text, "hbm.bandwidth"),
                      contains("hbm.bandwidth " + in_quotes(text)) && contains("MB/s GB/s TB/s PB/s"));
  }
  CHECK_THROWS_WITH(parse_flops("989.4 TFLOPS", "x"), contains("GFLOP/s TFLOP/s PFLOP/s"));
  CHECK_THROWS_WITH(parse_flops("989.4 Top/s", "x"), contains("TFLOP/s"));
  CHECK_THROWS_WITH(parse_operations("3.87 TFLOP/s", "x"), contains("Gop/s Top/s Pop/s"));
  CHECK_THROWS_WITH(parse_frequency("1.98 Ghz", "x"), contains("kHz MHz GHz"));
  CHECK_THROWS_WITH(parse_power("700", "x"), contains("W kW"));
}

TEST_CASE("sizes are shown in binary units") {
  CHECK(to_text(Bytes(101376)) == "99.0 KiB");
  CHECK(to_text(Bytes(0)) == "0 B");
  CHECK(to_text(Bytes(1023)) == "1023 B");
  CHECK(to_text(Bytes(1024)) == "1.0 KiB");
  CHECK(to_text(Bytes(1024 * 1024 - 1)) == "1.0 MiB");
  CHECK(to_text(Bytes(1677721600)) == "1.6 GiB");
  CHECK(to_text(Bytes(largest_count)) == "8589934592.0 GiB");
  CHECK(to_text(Bytes(-2048)) == "-2.0 KiB");
  CHECK(to_text(Bytes(std::numeric_limits<Count>::min())) == "-8589934592.0 GiB");
}

TEST_CASE("exact sizes read back unchanged") {
  CHECK(exact_text(Bytes(1677721600)) == "1600 MiB");
  CHECK(exact_text(Bytes(232448)) == "227 KiB");
  CHECK(exact_text(Bytes(65538)) == "65538 B");
  CHECK(exact_text(Bytes(0)) == "0 B");
  constexpr unsigned seed = 20261129;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Bytes bytes(static_cast<Count>(random() >> (1 + random() % 62)) + 1);
    CHECK(sized(exact_text(bytes)) == bytes);
    CHECK(sized(std::to_string(bytes.value()) + " B") == bytes);
  }
}

TEST_CASE("rates are shown with a decimal prefix and four significant digits") {
  CHECK(to_text(BytesPerSecond{3.35e12}) == "3.35 TB/s");
  CHECK(to_text(BytesPerSecond{1.555e12}) == "1.555 TB/s");
  CHECK(to_text(BytesPerSecond{936e9}) == "936 GB/s");
  CHECK(to_text(BytesPerSecond{999.96e9}) == "1 TB/s");
  CHECK(to_text(BytesPerSecond{999.94e9}) == "999.9 GB/s");
  CHECK(flops_text({989.4e12}) == "989.4 TFLOP/s");
  CHECK(flops_text({2.25e15}) == "2.25 PFLOP/s");
  CHECK(operations_text({3.8656e12}) == "3.866 Top/s");
  CHECK(to_text(Hertz{1.755e9}) == "1.755 GHz");
  CHECK(to_text(Watts{700}) == "700 W");
  CHECK(to_text(BytesPerSecond{0}) == "0 B/s");
}

TEST_CASE("text is spaced and quoted for people") {
  CHECK(spaced("512KiB") == "512 KiB");
  CHECK(spaced(" 3.35   TB/s ") == "3.35 TB/s");
  CHECK(spaced("132") == "132");
  CHECK(spaced("sm_90") == "sm_90");
  CHECK(in_quotes("a\nb\x1b[31m") == "\"a?b?[31m\"");
  CHECK(in_quotes(std::string(100, 'x')) == "\"" + std::string(60, 'x') + "...\"");
}

TEST_CASE("no text crashes a parser") {
  constexpr unsigned seed = 20261129;
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr std::string_view alphabet = "0123456789.. -+eKMGTiB/sFLOPWHzhkop\t\n\xff";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length) text += alphabet[random() % alphabet.size()];
    const auto run = [&](auto parse) {
      try {
        parse(text, "x");
      } catch (const InputError&) {
        return;
      }
    };
    run([](const auto& t, auto w) { return parse_bytes(t, w, ByteUnits::binary_or_decimal); });
    run(parse_count);
    run(parse_bandwidth);
    run(parse_flops);
    run(parse_frequency);
  }
}

namespace {

/// Makes "1.000,5" of 1000.5: streams by a locale of its own, the C library by Germany's where it is installed.
class Elsewhere {
 public:
  Elsewhere() : before_(std::locale::global(std::locale(std::locale::classic(), new Comma))) {
    std::setlocale(LC_ALL, "de_DE.UTF-8");
  }
  ~Elsewhere() {
    std::setlocale(LC_ALL, "C");
    std::locale::global(before_);
  }

 private:
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
};

}  // namespace

TEST_CASE("quantities are read and written alike in every locale") {
  const Elsewhere elsewhere;
  CHECK(parse_time("0.545 ms", "time").value == Approx(0.545e-3));
  CHECK(parse_share("0.82", "share") == Approx(0.82));
  CHECK(parse_bytes("1.5 KiB", "size") == Bytes(1536));
  CHECK(to_text(BytesPerSecond{3.35e12}) == "3.35 TB/s");
  CHECK(to_text(Seconds{12.8e-6}) == "12.8 us");
  CHECK(to_text(Seconds{1.011e-12}) == "1.011 ps");
  CHECK(to_text(Seconds{1.011e-15}) == "1.011 fs");
  CHECK(to_text(Bytes(101376)) == "99.0 KiB");
  CHECK(exact_text(Bytes(1677721600)) == "1600 MiB");
  CHECK(load_device("h200").hbm.bandwidth.value == Approx(4.8e12));
}

TEST_CASE("digits are those of printf in the C locale") {
  const Elsewhere elsewhere;
  CHECK(fixed_digits(1234567.891, 2) == "1234567.89");
  CHECK(fixed_digits(-0.5, 0) == "-0");
  CHECK(fixed_digits(1e308, 0).size() == 309);
  CHECK(significant_digits(0.00012345, 4) == "0.0001234");
  CHECK(significant_digits(1e10, 4) == "1e+10");
  CHECK(scientific_digits(12345.0, 3) == "1.234e+04");
  CHECK(number_in("0.82") == 0.82);
  for (const char* wrong : {"", "0,82", "1.5 ", "x", "1e999"}) CHECK(std::isnan(number_in(wrong)));
}
