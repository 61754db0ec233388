#include <cmath>

#include "tools/complexity/capacity_sheet.hpp"
#include "tools/complexity/cells.hpp"
#include "tools/complexity/document.hpp"
#include "tools/report/report.hpp"
#include "tools/tables/render.hpp"
#include "traces/json_fault.hpp"

namespace tilemeter::complexity {
namespace {

using tables::Cell;
using tables::Decimal;
using tables::MadeTable;
using tables::Scientific;
using tables::Table;

Cell algorithm_cell(const Json& figure) {
  const Json& variant = figure.at("variant");
  std::string text(text_at(figure, "algorithm"));
  return variant.is_null() ? text : text + " " + variant.get<std::string>();
}

/// Half-widths and residuals of exact laws are rounding errors.
Cell small(const Json& value) {
  if (value.is_null()) return {};
  const double number = value.get<double>();
  return std::fabs(number) < 5e-5 ? Cell{Scientific{number}} : Cell{Decimal{number, 4}};
}

std::string ok_text(const Json& figure) {
  if (!figure.at("ok").get<bool>()) return "DIFFERS";
  const Json& accepted = figure.at("accepted");
  return accepted.at("from").is_null() && accepted.at("to").is_null() ? "shown" : "agrees";
}

Table figures_table(const Json& figures) {
  Table table;
  table.columns = {{"algorithm", ""}, {"blocks", ""},   {"quantity", ""}, {"figure", ""},
                   {"where", ""},     {"measured", ""}, {"+-95 %", ""},   {"accepted", ""},
                   {"points", ""},    {"rms", "log"},   {"max", "log"},   {"range", "rows, elements"},
                   {"verdict", ""}};
  for (const Json& figure : figures) {
    table.rows.push_back({algorithm_cell(figure), words(figure, "blocks"), words(figure, "quantity"),
                          words(figure, "figure"), words(figure, "where"), decimal(figure.at("value"), 4),
                          small(figure.at("half_width_95")), accepted_cell(figure.at("accepted")),
                          whole(figure, "points"), small(figure.at("residual_rms")), small(figure.at("residual_max")),
                          words(figure, "range"), ok_text(figure)});
  }
  return table;
}

MadeTable theorem_table(const Json& theorem) {
  Table table = figures_table(theorem.at("figures"));
  table.notes = {"statement: " + std::string(text_at(theorem, "statement")),
                 "validity: " + std::string(text_at(theorem, "validity")),
                 "edges: " + std::string(text_at(theorem, "edges")),
                 "verdict: " + std::string(text_at(theorem, "verdict"))};
  return {{.name = text_at(theorem, "name"), .title = text_at(theorem, "title"), .source = text_at(theorem, "source")},
          std::move(table)};
}

std::string distance_verdict(const Json& row) {
  if (!row.at("feasible").get<bool>()) return "does not fit: " + std::string(text_at(row, "reason"));
  if (!row.at("ok").get<bool>()) return "DIFFERS: below a lower bound";
  if (!row.at("fits").is_null() && !row.at("fits").get<bool>()) return "does not fit: bound at what it uses";
  return "above the bound";
}

MadeTable distances_table(const Json& distances) {
  Table table;
  table.columns = {{"algorithm", ""},     {"blocks", ""},        {"N", "rows"},         {"d", ""},
                   {"M", "elements"},     {"Br", "rows"},        {"Bc", "rows"},        {"on chip", "elements"},
                   {"moved", "elements"}, {"bound", "elements"}, {"moved / bound", ""}, {"bound of", ""},
                   {"verdict", ""}};
  for (const Json& row : distances) {
    const Json& fits = row.at("fits");
    const bool fitting = row.at("feasible").get<bool>() && (fits.is_null() || fits.get<bool>());
    table.infeasible += fitting ? 0 : 1;
    table.rows.push_back({words(row, "algorithm"), words(row, "blocks"), whole(row, "seq"), whole(row, "head_dim"),
                          whole(row, "sram_elements"), whole(row, "block_q"), whole(row, "block_k"),
                          whole(row, "used_elements"), whole(row, "moved_elements"), whole(row, "bound_elements"),
                          decimal(row.at("ratio"), 3), row.at("bound").is_null() ? Cell{} : words(row, "bound"),
                          distance_verdict(row)});
  }
  table.notes = {
      "the largest lower bound known for the class of the algorithm, at M; standard has no memory on chip of "
      "its own, so that only the compulsory traffic bounds it"};
  return {{.name = "distance", .title = "traffic against the best lower bound known", .source = "model/bound.hpp"},
          std::move(table)};
}

std::vector<MadeTable> checked_tables_of(const Json& document) {
  std::vector<MadeTable> made;
  for (const Json& theorem : document.at("theorems")) made.push_back(theorem_table(theorem));
  if (!document.at("fits").empty()) {
    made.push_back({{.name = "fits", .title = "exponents over the points asked for", .source = "none: shown only"},
                    figures_table(document.at("fits"))});
  }
  if (!document.at("distances").empty()) made.push_back(distances_table(document.at("distances")));
  if (!document.at("break_even").empty()) made.push_back(break_even_table(document.at("break_even")));
  if (!document.at("crossovers").empty()) made.push_back(crossover_table(document.at("crossovers")));
  if (!made.empty()) {
    made.back().table.notes.push_back("traffic counted by the " + std::string(text_at(document, "counted_by")) +
                                      "; random points of seed " + document.at("seed").dump() +
                                      "; +-95 % takes what ceilings do for independent errors");
  }
  return made;
}

/// Whether a text starts as a document of this command does.
bool is_complexity_document(std::string_view json_text) {
  constexpr std::size_t head = 100;
  const std::string_view start = json_text.substr(0, head);
  return start.find("\"command\"") != std::string_view::npos && start.find("\"complexity\"") != std::string_view::npos;
}

}  // namespace

std::vector<MadeTable> tables_of(const Json& document, std::string_view origin) {
  try {
    return checked_tables_of(document);
  } catch (const Json::exception& error) {
    throw InputError(std::string(origin) + ": expected the JSON that tilemeter complexity wrote: " +
                     json_fault(error.what()));
  }
}

std::string page_of(const Json& document, std::string_view title, std::string_view origin) {
  const std::vector<MadeTable> made = tables_of(document, origin);
  Json shown = document;
  shown["tables"] = tables::tables_json(made);
  return render_report(shown.dump(), title);
}

std::string page_of_any(std::string_view json_text, std::string_view title, std::string_view origin) {
  if (!is_complexity_document(json_text)) return render_report(json_text, title, origin);
  return page_of(Json::parse(json_text, nullptr, false), title, origin);
}

}  // namespace tilemeter::complexity
