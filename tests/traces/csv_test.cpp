// Records of cells, as RFC 4180 has them.
#include "traces/csv.hpp"

#include "model/error.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

using Records = std::vector<std::vector<std::string>>;

Records records(std::string_view text) {
  CsvReader reader(text, "x.csv");
  Records all;
  while (!reader.done()) all.push_back(reader.record());
  return all;
}

}  // namespace

TEST_CASE("cells with and without quotes, and both line ends") {
  CHECK(records("a,b\n1,2\n") == Records{{"a", "b"}, {"1", "2"}});
  CHECK(records("a,b\r\n\"1,2\",\"say \"\"no\"\"\"\r\n") == Records{{"a", "b"}, {"1,2", "say \"no\""}});
  CHECK(records("\"two\nlines\",b") == Records{{"two\nlines", "b"}});
  CHECK(records(",\n\n\"\"") == Records{{"", ""}, {""}, {""}});
  CHECK(records("\xEF\xBB\xBF\"\xC3\xA9\",\xF0\x9F\x98\x80\n") == Records{{"\xC3\xA9", "\xF0\x9F\x98\x80"}});
  CHECK(records("").empty());
}

TEST_CASE("a record knows its line, and lines inside quotes count") {
  CsvReader reader("a\n\"b\nb\"\nc\n", "x.csv", 5);
  CHECK(reader.line() == 5);
  reader.record();
  reader.record();
  CHECK(reader.line() == 8);
  CHECK(reader.starts_with("c"));
  CHECK(reader.skip_line() == "c");
  CHECK(reader.done());
}

TEST_CASE("a written cell reads back") {
  for (const std::string cell : {"", "plain", "a,b", "a \"b\"", "a\nb", "\"", ",", " spaces "}) {
    CAPTURE(cell);
    CHECK(records(csv_cell(cell) + ",next\n") == Records{{cell, "next"}});
  }
}

TEST_CASE("what is no CSV is refused with its line") {
  CHECK_THROWS_WITH(records("a\n\"b\n"), "x.csv: line 2 opens a quoted cell that is never closed");
  CHECK_THROWS_WITH(records("a\n\"b\"c\n"), contains("x.csv: line 2 has text after a quoted cell"));
  CHECK_THROWS_WITH(records("a\nb\"c\"\n"), contains("x.csv: line 2 has a quote inside a cell"));
  CHECK_THROWS_AS(records("\""), InputError);
}

TEST_CASE("text that is not UTF-8 is refused with its line") {
  for (const std::string bytes : {"\xFF\xFE", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                  "\xF0\x80\x80\x80", "\x80", "\xE2\x82"}) {
    CAPTURE(bytes);
    CHECK_THROWS_WITH(records("a\n" + bytes + "\n"), "x.csv: line 2 is not UTF-8");
  }
}
