#include "tools/complexity/capacity_sheet.hpp"

#include "tools/complexity/cells.hpp"

namespace tilemeter::complexity {

using tables::MadeTable;
using tables::Table;

namespace {

std::string crossover_verdict(const Json& row) {
  if (!row.at("ok").get<bool>()) return "DIFFERS";
  return row.at("fits").get<bool>() ? "agrees" : "agrees; does not fit: a nominal crossover";
}

}  // namespace

MadeTable break_even_table(const Json& rows) {
  Table table;
  table.columns = {
      {"algorithm", ""},        {"blocks", ""}, {"against", ""}, {"N", "rows"},           {"d", ""},
      {"M", "elements"},        {"Br", "rows"}, {"Bc", "rows"},  {"on chip", "elements"}, {"moved", "elements"},
      {"standard", "elements"}, {"verdict", ""}};
  for (const Json& row : rows) {
    const bool exists = !row.at("sram_elements").is_null();
    const bool fits = exists && row.at("fits").get<bool>();
    const std::string opponent = std::string(text_at(row, "opponent")) +
                                 (text_at(row, "opponent_blocks") == "panels" ? ", the same M" : ", idealised");
    table.infeasible += exists && !fits ? 1 : 0;
    table.rows.push_back({words(row, "algorithm"), words(row, "blocks"), opponent, whole(row, "seq"),
                          whole(row, "head_dim"), whole(row, "sram_elements"), whole(row, "block_q"),
                          whole(row, "block_k"), whole(row, "used_elements"), whole(row, "moved_elements"),
                          whole(row, "opponent_elements"),
                          std::string(!exists ? "never"
                                      : fits  ? "fits"
                                              : "does not fit: a nominal break-even")});
  }
  table.notes = {
      "the smallest M at which the algorithm moves no more than standard attention; the same M: standard "
      "attention with GEMM panels within M"};
  return {{.name = "break-even",
           .title = "the smallest M at which tiling pays",
           .source = "closed_form/standard_at_capacity.hpp for the same M"},
          std::move(table)};
}

MadeTable crossover_table(const Json& rows) {
  Table table;
  table.columns = {{"algorithm", ""}, {"blocks", ""},          {"N", "rows"},         {"d", ""},
                   {"M", "elements"}, {"M / d^2", ""},         {"accepted", ""},      {"Br", "rows"},
                   {"Bc", "rows"},    {"on chip", "elements"}, {"moved", "elements"}, {"materialised", "elements"},
                   {"verdict", ""}};
  for (const Json& row : rows) {
    table.infeasible += row.at("fits").is_null() || row.at("fits").get<bool>() ? 0 : 1;
    table.rows.push_back({words(row, "algorithm"), words(row, "blocks"), whole(row, "seq"), whole(row, "head_dim"),
                          whole(row, "sram_elements"), decimal(row.at("sram_over_d_squared"), 3),
                          accepted_cell(row.at("accepted")), whole(row, "block_q"), whole(row, "block_k"),
                          whole(row, "used_elements"), whole(row, "moved_elements"), whole(row, "opponent_elements"),
                          crossover_verdict(row)});
  }
  table.notes = {
      "the smallest M at which the algorithm moves no more than materialised with square tiles within the same M"};
  return {{.name = "crossover",
           .title = "the smallest M at which streaming beats scores in memory",
           .source = "Saha and Ye 2024, arXiv:2402.07443: Theta(d^2)"},
          std::move(table)};
}

}  // namespace tilemeter::complexity
