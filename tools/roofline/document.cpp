#include "tools/roofline/document.hpp"

#include "tools/report/device_roofs.hpp"

namespace tilemeter::roofline {
namespace {

Json value_json(const SheetValue& value) {
  if (const auto* whole = std::get_if<Count>(&value)) return *whole;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

/// Rows as objects under the columns' keys.
Json rows_json(const Sheet& sheet) {
  Json rows = Json::array();
  for (const auto& row : sheet.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[sheet.columns[i].key] = value_json(row[i].value);
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace

Json roofline_document(const Arguments& arguments, std::string_view view, const std::vector<Device>& devices,
                       const std::vector<std::string>& notes) {
  Json document = document_json("roofline", arguments);
  document["view"] = view;
  document["devices"] = Json::array();
  for (const Device& device : devices) document["devices"].push_back(device_roofs(device));
  document["notes"] = notes;
  return document;
}

Json result_document(const Arguments& arguments, std::string_view view, const Result& result) {
  Json document = roofline_document(arguments, view, result.devices, result.sheet.notes);
  document["title"] = result.sheet.title;
  document["rows"] = rows_json(result.sheet);
  return document;
}

}  // namespace tilemeter::roofline
