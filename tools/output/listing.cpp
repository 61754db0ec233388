#include "tools/output/listing.hpp"

#include <algorithm>

#include "tools/commands/shared.hpp"
#include "tools/json.hpp"
#include "tools/output/lines.hpp"
#include "traces/csv.hpp"

namespace tilemeter {
namespace {

struct ListHeading {
  std::size_t index = 0;
  std::string title;
  std::string unit;
  std::size_t width = 0;
  Side side = Side::left;
};

std::vector<ListHeading> headings_of(const Listing& listing) {
  std::vector<ListHeading> headings;
  for (std::size_t i = 0; i < listing.columns.size(); ++i) {
    std::size_t width = listing.columns[i].size();
    for (const auto& row : listing.rows) width = std::max(width, row[i].size());
    headings.push_back({.index = i, .title = listing.columns[i], .unit = {}, .width = width});
  }
  return headings;
}

template <class Line>
std::string body(const Listing& listing, const std::vector<ListHeading>& headings, Line line) {
  std::string text;
  for (const auto& row : listing.rows)
    text += line(headings, [&](const ListHeading& heading) { return row[heading.index]; });
  return text;
}

std::string table_text(const Listing& listing) {
  const auto headings = headings_of(listing);
  return title_line(headings) +
         body(listing, headings, [](const auto& all, auto cell) { return table_line(all, cell); });
}

std::string md_text(const Listing& listing) {
  const auto headings = headings_of(listing);
  return md_head(headings) + body(listing, headings, [](const auto& all, auto cell) { return md_line(all, cell); });
}

std::string csv_text(const Listing& listing) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text;
    for (const std::string& cell : cells) text += (text.empty() ? "" : ",") + csv_cell(cell);
    return text + "\n";
  };
  std::string text = line(listing.columns);
  for (const auto& row : listing.rows) text += line(row);
  return text;
}

std::string json_text(const Listing& listing, const Arguments& arguments) {
  Json document = document_json(listing.command, arguments);
  Json& rows = document[std::string(listing.key)] = Json::array();
  for (const auto& row : listing.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[listing.columns[i]] = row[i];
    rows.push_back(std::move(object));
  }
  return document.dump(2) + "\n";
}

}  // namespace

std::string render_listing(const Listing& listing, Format format, const Arguments& arguments) {
  switch (format) {
    case Format::table:
      return table_text(listing);
    case Format::md:
      return md_text(listing);
    case Format::csv:
      return csv_text(listing);
    case Format::json:
      return json_text(listing, arguments);
    case Format::html:
      break;
  }
  throw InputError("--format html: " + std::string(listing.command) + " has no page; choose from table, csv, json, md");
}

void write_listing(const Listing& listing, const Arguments& arguments) {
  const Target target = target_of(arguments);
  write_result(target, render_listing(listing, target.format, arguments));
}

}  // namespace tilemeter
