// The reference tables: their cells against golden text, their verdicts, and their formats.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include "tools/output/csv.hpp"
#include "tools/tables/catalog.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/render.hpp"

using namespace tilemeter;
using namespace tilemeter::tables;

namespace {

const std::string golden_folder = TILEMETER_SOURCE_DIR "/tests/golden/tables/";

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Rounding errors depend on the compiler: the same order of magnitude is enough, and below 1e-15 all are alike.
bool same_error(double a, double b) { return (a <= 10 * b && b <= 10 * a) || (a < 1e-15 && b < 1e-15); }

/// Equal but for numbers such as 5.551e-16, which are errors.
bool same_text(const std::string& found, const std::string& expected) {
  static const std::regex error(R"(\d\.\d{3}e[-+]\d{2})");
  if (std::regex_replace(found, error, "#") != std::regex_replace(expected, error, "#")) return false;
  auto ours = std::sregex_iterator(found.begin(), found.end(), error);
  auto golden = std::sregex_iterator(expected.begin(), expected.end(), error);
  for (; ours != std::sregex_iterator(); ++ours, ++golden) {
    if (!same_error(std::stod(ours->str()), std::stod(golden->str()))) return false;
  }
  return true;
}

const std::vector<MadeTable>& all_tables() {
  static const std::vector<MadeTable> made = make({catalog().begin(), catalog().end()});
  return made;
}

std::string text_of(const MadeTable& made) { return render(Format::table, {made}); }

Table one_failing_row() {
  Table table;
  table.columns = {{"N", "rows"}, {"verdict", ""}};
  Judge judge(table, "row 7");
  judge.equal("traffic", 12, 13);
  table.rows.push_back({Count{7}, judge.verdict()});
  return table;
}

constexpr TableSpec failing = {"failing", "a table with a wrong figure", "nobody", one_failing_row};

}  // namespace

TEST_CASE("every table is as its golden text") {
  for (const MadeTable& made : all_tables()) {
    const std::string name(made.spec.name);
    INFO("compare tests/golden/tables/" << name << ".txt with " << name << ".new.txt");
    const std::string text = text_of(made);
    const bool same = same_text(text, read(golden_folder + name + ".txt"));
    if (!same) std::ofstream(golden_folder + name + ".new.txt") << text;
    CHECK(same);
  }
}

TEST_CASE("every golden text belongs to a table") {
  std::set<std::string> names;
  for (const TableSpec& spec : catalog()) CHECK(names.insert(std::string(spec.name) + ".txt").second);
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".new.txt")) continue;
    INFO(file);
    CHECK(names.contains(file));
  }
}

TEST_CASE("every check of every table holds, and every row has a verdict") {
  CHECK(failures_of(all_tables()).empty());
  CHECK(exit_status(all_tables()) == 0);
  for (const MadeTable& made : all_tables()) {
    INFO(made.spec.name);
    CHECK_FALSE(made.table.rows.empty());
    REQUIRE(made.table.columns.back().name == "verdict");
    for (const auto& row : made.table.rows) {
      REQUIRE(row.size() == made.table.columns.size());
      CHECK_FALSE(std::get<std::string>(row.back()).empty());
    }
  }
}

TEST_CASE("rows that do not fit are counted and marked") {
  const MadeTable made{find_table("traffic-vs-m"), find_table("traffic-vs-m").make()};
  CHECK(made.table.infeasible == 2);
  CHECK_THAT(text_of(made), contains("2 of 5 rows do not fit"));
  CHECK_THAT(std::get<std::string>(made.table.rows[0].back()), contains("does not fit: needs x1.203 of M"));
  CHECK_THAT(std::get<std::string>(made.table.rows[1].back()), contains("does not fit: needs x1.085 of M"));
  CHECK(std::get<std::string>(made.table.rows[2].back()) == "equal");
}

TEST_CASE("a figure that differs fails the table") {
  const std::vector<MadeTable> made = make({failing});
  CHECK(exit_status(made) == 1);
  CHECK(failures_of(made) == std::vector<std::string>{"failing: row 7: traffic: 12 against 13"});
  CHECK_THAT(text_of(made.front()), contains("DIFFERS: traffic: 12 against 13"));
}

TEST_CASE("verdicts") {
  Table table;
  const auto judge = [&] { return Judge(table, "row"); };
  const auto failed = [&] { return std::exchange(table.failures, {}).size(); };
  SECTION("a printed figure is the computed one, rounded") {
    CHECK(judge().rounds("x", 33.156, Printed("33.2")).verdict() == "equal");
    CHECK(failed() == 0);
    CHECK_THAT(judge().rounds("x", 33.14, Printed("33.2")).verdict(), contains("DIFFERS"));
    CHECK(failed() == 1);
  }
  SECTION("a figure declared off must be off") {
    CHECK(judge().off("x", 16.0, Printed("32.1"), "float64").verdict() == "off: float64");
    CHECK(failed() == 0);
    CHECK_THAT(judge().off("x", 32.08, Printed("32.1"), "float64").verdict(), contains("DIFFERS"));
    CHECK(failed() == 1);
  }
  SECTION("orders of magnitude") {
    CHECK(judge().same_order("x", 2e-16, 1.9e-15).verdict() == "same order");
    CHECK(failed() == 0);
    judge().same_order("x", 1e-16, 1.1e-15);
    judge().same_order("x", 1.1e-15, 1e-16);
    judge().same_order("x", std::nan(""), 1e-16);
    CHECK(failed() == 3);
  }
  SECTION("tolerances") {
    CHECK(judge().close("x", 1.0, 1.1, 0.11).verdict() == "equal");
    CHECK(failed() == 0);
    judge().close("x", 1.0, 1.2, 0.11);
    judge().close("x", std::nan(""), 1.2, 0.11);
    CHECK(failed() == 2);
  }
  SECTION("a count that differs from its closed form") {
    Work counted;
    counted.tiles = 1;
    CHECK(judge().counts(counted, counted).verdict() == "count = formula");
    CHECK(failed() == 0);
    judge().counts(counted, Work{});
    CHECK(failed() == 1);
  }
  SECTION("the weakest agreement is the verdict") {
    CHECK(judge().equal("x", 1, 1).same_order("y", 1, 2).equal("z", 1, 1).verdict() == "same order");
  }
}

TEST_CASE("an unknown table") {
  CHECK_THROWS_WITH(find_table("traffic-vs-k"),
                    contains("traffic-vs-k") && contains("did you mean") && contains("score-matrix, softmax-roofline"));
}

TEST_CASE("JSON holds every cell, whole") {
  const auto document = nlohmann::json::parse(render(Format::json, all_tables()));
  CHECK(document.at("schema") == 1);
  CHECK(document.at("command") == "tables");
  REQUIRE(document.at("tables").size() == catalog().size());
  for (std::size_t t = 0; t < all_tables().size(); ++t) {
    const auto& json = document.at("tables").at(t);
    const Table& table = all_tables()[t].table;
    CHECK(json.at("name") == all_tables()[t].spec.name);
    CHECK(json.at("failures").empty());
    CHECK(json.at("infeasible_rows") == table.infeasible);
    CHECK(json.at("notes").size() == table.notes.size());
    REQUIRE(json.at("columns").size() == table.columns.size());
    REQUIRE(json.at("rows").size() == table.rows.size());
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Cell& cell = table.rows[r][c];
        const auto& value = json.at("rows").at(r).at(c);
        if (const auto* count = std::get_if<Count>(&cell)) CHECK(value == *count);
        if (const auto* real = std::get_if<Decimal>(&cell)) CHECK(value == real->value);
        if (std::holds_alternative<std::monostate>(cell)) CHECK(value.is_null());
      }
    }
  }
}

TEST_CASE("CSV of one table has its columns, of several one line a cell") {
  const MadeTable made{find_table("matmul-flops"), find_table("matmul-flops").make()};
  const std::string wide = render(Format::csv, {made});
  CHECK_THAT(wide, contains("algorithm,counted (FLOP),formula (FLOP),reference (FLOP),verdict\n"
                            "standard,256000000,256000000,256000000,equal\n"));
  std::size_t cells = 0;
  for (const MadeTable& one : all_tables()) cells += one.table.rows.size() * one.table.columns.size();
  const auto records = points_of_csv(render(Format::csv, all_tables()), "tables");
  CHECK(records.size() == cells);
  CHECK(records.front().at("table") == "score-matrix");
}

TEST_CASE("Markdown has a line for every row, a page the rows as data, and nothing from elsewhere") {
  const MadeTable made{failing, failing.make()};
  CHECK_THAT(render(Format::md, {made}), contains("## failing: a table with a wrong figure\n\n"
                                                  "| N (rows) | verdict |\n| --: | :-- |\n"
                                                  "| 7 | DIFFERS: traffic: 12 against 13 |\n"));
  const std::string page = render(Format::html, {made});
  CHECK_THAT(page, contains("DIFFERS: traffic: 12 against 13"));
  CHECK(page.find("src=\"http") == std::string::npos);
  CHECK(page.find("href=\"http") == std::string::npos);
}

TEST_CASE("cells as people read them") {
  CHECK(cell_text(Decimal{1234567.891, 1}) == "1,234,567.9");
  CHECK(cell_text(Decimal{-0.288, 1}) == "-0.3");
  CHECK(cell_text(Decimal{-123456, 0}) == "-123,456");
  CHECK(cell_text(Decimal{123, 0}) == "123");
  CHECK(cell_text(Scientific{5.551e-16}) == "5.551e-16");
  CHECK(cell_text(Cell()) == "-");
}
