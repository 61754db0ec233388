#include "traces/json_fault.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

std::string fault_of_text(const std::string& text) {
  try {
    return "accepted: " + nlohmann::json::parse(text).dump();
  } catch (const nlohmann::json::exception& error) {
    return json_fault(error.what());
  }
}

}  // namespace

TEST_CASE("what is wrong with JSON is said without the words of its library") {
  CHECK(fault_of_text("") == "line 1, column 1: unexpected end of input");
  CHECK(fault_of_text("{\"a\": 1,") == "line 1, column 9: unexpected end of input");
  CHECK(fault_of_text("{\n \"a\" 1}") == "line 2, column 6: unexpected number literal");
  CHECK(fault_of_text("words") == "line 1, column 1: invalid literal; last read: 'w'");
}

TEST_CASE("every cut of a document has its line and column, and no word of the library") {
  const std::string text = "{\"schema\": 1, \"points\": [\n{\"a\": [1.5, true, null, \"\\u00e9\"]}\n]}";
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    const std::string fault = fault_of_text(text.substr(0, size));
    CHECK_THAT(fault, Catch::Matchers::StartsWith("line "));
    CHECK_THAT(fault, contains("column ") && !contains("json") && !contains("parse") && !contains("expected ["));
  }
}

TEST_CASE("an empty text is said to end, in every version of the library") {
  CHECK(
      json_fault(
          "[json.exception.parse_error.101] parse error at line 1, column 1: attempting to parse an empty input; check "
          "that your input string or stream contains the expected JSON") ==
      "line 1, column 1: unexpected end of input");
}

TEST_CASE("a message of another form loses what stands in brackets") {
  CHECK(json_fault("[json.exception.type_error.302] type must be number") == "type must be number");
  CHECK(json_fault("no brackets") == "no brackets");
}
