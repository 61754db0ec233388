// Exports that are damaged: one clear message each.
#include "model/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/traces/ncu_text.hpp"
#include "traces/ncu.hpp"

using namespace tilemeter;

namespace {

const TestMetric read_metric{"dram__bytes_read.sum", "byte", "1,234"};

std::string error_of(const std::string& text) {
  try {
    read_ncu(text, "e.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a text without a table is refused") {
  for (const std::string text : {"", "\n", "hello\n", "==PROF== Connected\n==WARNING== No kernels were profiled.\n",
                                 "\"Process ID\",\"Kernel Name\",\"Invocations\"\n", "{\"ID\": 1}\n"}) {
    CAPTURE(text);
    CHECK_THAT(error_of(text),
               contains("e.csv: no export of Nsight Compute; expected what `ncu --csv` prints, with a header"));
  }
}

TEST_CASE("every cut of an export is refused, or ends between two lines") {
  const std::string text = raw_page({read_metric}) + launch_cells("1") + ",\"5\"\n";
  const std::size_t units_end = text.find("byte\"\n") + 5;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string cut = text.substr(0, length);
    const bool between_lines = cut.ends_with('\n') || text[length] == '\n';
    CAPTURE(cut);
    CHECK((error_of(cut) == "no error") == (between_lines && length >= units_end));
  }
  CHECK_THAT(error_of(text.substr(0, text.size() - 2)), contains("ends in the middle of a line"));
}

TEST_CASE("missing and doubled columns are refused by name") {
  const std::string page = raw_page({read_metric});
  for (const std::string column : {"Block Size", "Grid Size", "Device", "CC"}) {
    CHECK(error_of(replaced(page, '"' + column + '"', "\"other\"")) ==
          "e.csv: line 1 has no column \"" + column + "\"");
  }
  CHECK(error_of(raw_page({read_metric, read_metric})) ==
        "e.csv: line 1 has the column \"dram__bytes_read.sum\" twice");
  CHECK(error_of(replaced(metric_header, "\"Metric Unit\"", "\"other\"")) ==
        "e.csv: line 1 has no column \"Metric Unit\"");
}

TEST_CASE("a raw page without units is refused") {
  const std::string page = raw_page({read_metric});
  const std::string header = page.substr(0, page.find('\n') + 1);
  const std::string row = page.substr(page.find("\"0\""));
  CHECK(error_of(header) == "e.csv: line 2 is no row of units, which follows the header of the raw page");
  CHECK(error_of(header + row) == "e.csv: line 2 is no row of units, which follows the header of the raw page");
}

TEST_CASE("damaged rows are refused with line and metric") {
  const std::string page = "preamble\n" + raw_page({read_metric});
  CHECK(error_of(page + "\"1\",\"2\"\n") == "e.csv: line 5 has 2 cells; the header has 12");
  CHECK(error_of(replaced(page, "1,234", "12,34")) ==
        "e.csv: line 4: dram__bytes_read.sum is \"12,34\"; a number such as 1,234.5 is accepted");
  CHECK(error_of(replaced(page, "\"byte\"", "\"KiB\"")) ==
        "e.csv: line 4: dram__bytes_read.sum is in \"KiB\"; accepted units: byte Kbyte Mbyte Gbyte Tbyte sector");
  CHECK(error_of(replaced(page, "1,234", "9,223,372,036,854,775,808")) ==
        "e.csv: line 4: dram__bytes_read.sum would pass 2^63 - 1 (9223372036854775807); use smaller sizes");
  CHECK(error_of(replaced(page, "\n\"0\"", "\n\"zero\"")) ==
        "e.csv: line 4: ID is \"zero\"; a number such as 1,234.5 is accepted");
  for (const std::string size : {"32, 4, 16", "(32, 4)", "(32, 4, 16", "(32, 4, 16) ", "(32; 4; 16)", "(0, 1, 1)",
                                 "(a, 4, 16)", "(-1, 4, 16)", "(1, 2, 3, 4)", ""}) {
    CAPTURE(size);
    CHECK(error_of(replaced(page, "(32, 4, 16)", size)) ==
          "e.csv: line 4: Grid Size is \"" + size + "\"; three sizes such as (32, 4, 16) are accepted");
  }
  CHECK_THAT(error_of(replaced(page, "\"9.0\"", "\"9.0\"x")), contains("e.csv: line 4 has text after a quoted cell"));
  CHECK(error_of(page + "\xFF\n") == "e.csv: line 5 is not UTF-8");
}

TEST_CASE("units of metrics that are not read do not matter") {
  CHECK(error_of(raw_page({{"launch__registers_per_thread", "register/thread", "255"}, {"x", "furlong", "-"}})) ==
        "no error");
}

TEST_CASE("contradicting rows of one launch are refused") {
  const std::string rows = metric_header + metric_row("0", read_metric);
  CHECK(error_of(rows + metric_row("0", {read_metric.name, "byte", "5"})) ==
        "e.csv: line 3 has dram__bytes_read.sum of launch 0 a second time, with another value than line 2");
  CHECK(error_of(rows + replaced(metric_row("0", {"x", "", "5"}), "(32, 4, 16)", "(1, 1, 1)")) ==
        "e.csv: line 3 gives launch 0 the Grid Size \"(1, 1, 1)\"; line 2 gives it \"(32, 4, 16)\"");
}
