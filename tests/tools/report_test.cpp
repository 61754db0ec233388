#include "tools/report/report.hpp"

#include <string>

#include "model/error.hpp"
#include "tests/support/catch.hpp"
#include "tools/report/assets.hpp"
#include "tools/report/csv_document.hpp"
#include "tools/report/page.hpp"

using namespace tilemeter;

namespace {

std::string point(const std::string& more) {
  return R"({"algorithm": "flash1", "problem": {"seq_q": 4096, "mask": "none"}, "tiling": {"block_q": 64, "block_k": 196})" +
         (more.empty() ? "" : ", " + more) + "}";
}

const std::string counted =
    R"("traffic": {"elements": {"read": 9007199254740993, "write": 1, "total": 9007199254740994}})";

std::string sweep(const std::string& points) {
  return R"({"schema": 1, "command": "sweep", "version": "0.1.0", "points": [)" + points + "]}";
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

std::string error_of(const std::string& json) {
  try {
    render_report(json, "title");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("the page holds the document, the chart library and its own scripts") {
  const std::string page = render_report(sweep(point(counted)), "A sweep");
  CHECK_THAT(page, contains("<title>A sweep</title>"));
  CHECK_THAT(page, contains(R"("total":9007199254740994)"));
  CHECK_THAT(page, contains("Chart.js v3."));
  CHECK_THAT(page, contains("showReport();"));
  CHECK(occurrences(page, "{{") == occurrences(std::string(assets().back().text), "{{"));
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("a page loads nothing: no address in it but those in comments and names of the library") {
  const std::string page = render_report(sweep(point(counted)), "A sweep");
  CHECK(occurrences(page, "src=") == occurrences(std::string(assets().back().text), "src="));
  CHECK(occurrences(page, "@import") == 0);
  CHECK_THAT(page, contains("default-src 'none'"));
}

TEST_CASE("hostile text in the document and in the title stays text") {
  const std::string plain = render_report(sweep(point(counted)), "title");
  const std::string hostile = R"(</script><!--<script>alert(1)</script>{{script}})";
  const std::string page =
      render_report(sweep(point(counted + R"(, "reason": ")" + hostile + "\"")), "</title><script>\"'&");
  CHECK(occurrences(page, "<script") == occurrences(plain, "<script"));
  CHECK(occurrences(page, "</script") == occurrences(plain, "</script"));
  CHECK(occurrences(page, "<!--") == occurrences(plain, "<!--"));
  CHECK_THAT(page, contains(R"(\u003c/script>\u003c!--\u003cscript>alert(1)\u003c/script>{{script}})"));
  CHECK_THAT(page, contains("<title>&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;</title>"));
}

TEST_CASE("embedding keeps strings and numbers and drops white space around them") {
  CHECK(embeddable_json("\xEF\xBB\xBF{ \"a b\" :\t[ 1,\n 2.50, \"\\\"< \\\\\" ] }") ==
        R"({"a b":[1,2.50,"\"\u003c \\"]})");
  CHECK(embeddable_json(R"(["\\", " "])") == R"(["\\"," "])");
}

TEST_CASE("a single count is a document too, and an infeasible point needs no traffic") {
  const std::string count = point(R"("schema": 1, "command": "count", "version": "0.1.0", )" + counted);
  CHECK_NOTHROW(render_report(count, "count"));
  CHECK_NOTHROW(
      render_report(sweep(point(R"("feasible": false, "reason": "too large", "overflow_elements": 3)")), "sweep"));
  CHECK_NOTHROW(render_report(sweep(""), "empty"));
}

TEST_CASE("wrong input is refused with the place, the value and what is accepted") {
  CHECK_THAT(error_of("{\"schema\": 1,"), contains("report input: not JSON:") && contains("line 1, column 14"));
  CHECK_THAT(error_of("[]"), contains("the document is []") && contains("object"));
  CHECK_THAT(error_of("{}"), contains("\"schema\" is missing; schema 1 is accepted"));
  CHECK_THAT(error_of(R"({"schema": 2, "command": "sweep"})"), contains("\"schema\" is 2; schema 1 is accepted"));
  CHECK_THAT(error_of(R"({"schema": 1, "version": "1"})"), contains("\"command\" is missing"));
  CHECK_THAT(error_of(R"({"schema": 1, "command": "devices", "version": "1"})"),
             contains("\"points\" is missing") && contains("count") && contains("sweep"));
  CHECK_THAT(error_of(sweep("7")), contains("\"points[0]\" is 7"));
  CHECK_THAT(error_of(sweep(point(counted) + "," + point(""))),
             contains("\"points[1].traffic\" is missing") && contains("\"feasible\": false"));
  CHECK_THAT(error_of(sweep(point(R"("traffic": {"elements": {"read": 1, "write": 2.5, "total": 3}})"))),
             contains("\"points[0].traffic.elements.write\" is 2.5; an integer"));
  CHECK_THAT(error_of(sweep(point(R"("traffic": {"bytes": {}})"))),
             contains("\"points[0].traffic.elements.read\" is missing"));
  CHECK_THAT(error_of(sweep(point(counted + R"(, "sram": {"tiles": [{"rows": "many"}]})"))),
             contains(R"("points[0].sram.tiles[0].rows" is "many")"));
  CHECK_THAT(error_of(sweep(point(counted + R"(, "closed_form": {"equal": 1})"))),
             contains("\"points[0].closed_form.equal\" is 1; true or false"));
}

TEST_CASE("CSV reads back as the document it came from") {
  const std::string csv =
      "algorithm,problem_seq_q,problem_mask,traffic_elements_read,traffic_elements_write,traffic_elements_total,"
      "traffic_tensors_LSE_write_elements,closed_form_equal,feasible,reason,time_seconds\r\n"
      "flash1,4096,none,9223372036854775806,1,9223372036854775807,5,true,true,,1.5e-3\r\n"
      "\"a,\"\"b\"\"\n<\",1,causal,,,,,,false,12,\r\n";
  CHECK(
      document_of_csv(csv) ==
      R"({"schema":1,"command":"sweep","version":"unknown","points":[{"algorithm":"flash1","closed_form":{"equal":true},)"
      R"("feasible":true,"problem":{"mask":"none","seq_q":4096},"time":{"seconds":1.5e-3},"traffic":{"elements":)"
      R"({"read":9223372036854775806,"total":9223372036854775807,"write":1},"tensors":{"LSE":{"write_elements":5}}}},)"
      R"({"algorithm":"a,\"b\"\u000a<","feasible":false,"problem":{"mask":"causal","seq_q":1},"reason":"12"}]})");
  CHECK_NOTHROW(render_report(document_of_csv(csv), "from CSV"));
}

TEST_CASE("wrong CSV is refused with its line or column") {
  CHECK_THROWS_WITH(document_of_csv(""), contains("no column \"algorithm\""));
  CHECK_THROWS_WITH(document_of_csv("a,b\n1,2\n"), contains("no column \"algorithm\""));
  CHECK_THROWS_WITH(document_of_csv("algorithm,problem_seq_q\nflash1,1\nflash1\n"),
                    contains("line 3 has 1 cells; the heading has 2"));
  CHECK_THROWS_WITH(document_of_csv("algorithm\n\"flash1\n"), contains("line 2 opens a quoted cell"));
  CHECK_THROWS_WITH(document_of_csv("algorithm\n\"flash1\"x\n"), contains("line 2 has text after a quoted cell"));
}

TEST_CASE("results of tune are shown, and what is wrong in them is named") {
  const auto tuned = [](const std::string& front) {
    return R"({"schema": 1, "command": "tune", "version": "1", "results": [{"algorithm": "flash2", "order": "Q outer",
      "problem": {"mask": "none"}, "budget": {"owner": "--sram 1MiB"}, "best": [], "candidates": [], "front": )" +
           front + "}]}";
  };
  CHECK_THAT(render_report(tuned(R"({"unit": "elements", "tilings": []})"), "t"), contains("showTune"));
  CHECK_THAT(error_of(R"({"schema": 1, "command": "tune", "version": "1"})"), contains("\"results\" is missing"));
  CHECK_THAT(error_of(tuned("3")), contains("\"results[0].front\" is 3"));
  CHECK_THAT(error_of(tuned(R"({"unit": "rows", "tilings": []})")), contains("elements or bytes is accepted"));
  CHECK_THAT(error_of(tuned(R"({"unit": "bytes", "tilings": [{"block_q": 1}]})")),
             contains("\"results[0].front.tilings[0].block_k\" is missing"));
  CHECK_THAT(error_of(tuned(R"({"unit": "bytes", "tilings": [{"block_q": 1, "block_k": 1, "stages": 1.5}]})")),
             contains("stages\" is 1.5"));
}

namespace {

std::string validation(const std::string& row) {
  return R"({"schema": 1, "command": "validate", "version": "0.1.0", "verdicts": [], "splits": [], "summaries": [],
             "ladder": [], "missing": [], "notes": [], "observations": [{"problem": {}}], "rows": [)" +
         row + "]}";
}

std::string validated_row(const std::string& figures) {
  return R"({"kernel": "flash3", "problem": "N 4096", "metric": "time", "role": "fitted", "source": "a.json", )" +
         figures + "}";
}

}  // namespace

TEST_CASE("a validation is shown, and what is wrong in it is named") {
  const std::string row = validated_row(R"("observation": 0, "measured": 1.5, "predicted": 2, "error": null)");
  CHECK_THAT(render_report(validation(row), "title"), contains(R"("command":"validate")"));
  CHECK_THAT(error_of(validation(validated_row(R"("observation": 1)"))), contains("\"rows[0].observation\""));
  CHECK_THAT(error_of(validation(validated_row(R"("observation": 0, "error": "5 %")"))),
             contains("\"rows[0].error\"") && contains("number"));
  CHECK_THAT(error_of(validation("7")), contains("\"rows[0]\""));
  CHECK_THAT(error_of(R"({"schema": 1, "command": "validate", "version": "0.1.0"})"), contains("\"verdicts\""));
}

namespace {

std::string record(const std::string& command, const std::string& members) {
  return R"({"schema": 1, "command": ")" + command + R"(", "version": "0.1.0", )" + members + "}";
}

std::string table(const std::string& row) {
  return record("tables", R"("tables": [{"name": "t", "title": "a", "source": "b", "failures": [], "notes": [],
                                         "columns": [{"name": "N", "unit": ""}], "rows": [)" +
                              row + "]}]");
}

}  // namespace

TEST_CASE("records and tables are shown, and what is wrong in them is named") {
  CHECK_THAT(render_report(table("[1], [null], [\"x\"]"), "t"), contains("showTables"));
  CHECK_THAT(error_of(table("[1, 2]")), contains("\"tables[0].rows[0]\" is [1,2]") && contains("each column"));
  CHECK_THAT(error_of(table("[true]")), contains("\"tables[0].rows[0][0]\" is true"));
  CHECK_THAT(error_of(record("complexity", R"("theorems": [])")), contains("\"tables\" is missing"));
  CHECK_THAT(error_of(record("measure", R"("points": [])")), contains("\"gpu\" is missing"));
  CHECK_THAT(error_of(record("measure", R"("gpu": {}, "points": [{"kernel": "k", "problem": {}}])")),
             contains("\"points[0].times\" is missing"));
  CHECK_THAT(error_of(record("calibrate", R"("device": "d", "kernels": 3)")), contains("\"kernels\" is 3"));
  CHECK_THAT(error_of(record("occupancy", R"("points": [{"device": "d", "blocks_by": 4}])")),
             contains("\"points[0].blocks_by\" is 4"));
  CHECK_THAT(error_of(sweep(point(counted + R"(, "time": {"seconds": 1, "bounds": {"tensor": "x"}})"))),
             contains(R"("points[0].time.bounds.tensor" is "x")"));
  CHECK_THAT(error_of(sweep(point(counted + R"(, "sms": [{"index": 0}])"))),
             contains("\"points[0].sms[0].resident_seconds\" is missing"));
}

TEST_CASE("a trace becomes spans by SM and unit") {
  const std::string trace = R"({"otherData": {}, "traceEvents": [
      {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "SM 3"}},
      {"ph": "X", "name": "scores", "cat": "tensor", "pid": 3, "tid": 0, "ts": 1.25, "dur": 2,
       "args": {"block": 7, "waited for": "l2"}},
      {"ph": "X", "name": "l2", "cat": "wait", "pid": 3, "tid": 7, "ts": 1, "dur": 0.25}]})";
  const std::string page = render_report(trace, "t");
  CHECK_THAT(page, contains(R"("units":["tensor","waits"])") && contains(R"("name":"SM 3")"));
  CHECK_THAT(page, contains(R"([0,"scores",1.25,2,7,"l2"],[1,"l2",1,0.25,null,null])"));
  CHECK_THAT(error_of(R"({"traceEvents": 3})"), contains("\"traceEvents\" is 3"));
  CHECK_THAT(error_of(R"({"traceEvents": [{"ph": "B"}]})"), contains("\"traceEvents[0].ph\" is \"B\""));
  CHECK_THAT(error_of(R"({"traceEvents": [{"ph": "X", "name": "a", "cat": "b", "pid": 0, "ts": 0}]})"),
             contains("\"traceEvents[0].dur\" is missing"));
}
