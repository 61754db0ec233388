#include "tools/output/list.hpp"

#include "tools/output/csv.hpp"
#include "tools/output/figures.hpp"
#include "tools/report/device_roofs.hpp"

namespace tilemeter {
namespace {

ListFormat json_list(const Json& document) {
  std::string head = document.dump();
  head.pop_back();
  return {head + ",\"points\":[\n",
          [](const Json& point, std::size_t index) { return (index == 0 ? "" : ",\n") + point.dump(); }, "\n]}\n"};
}

ListFormat csv_list() {
  return {csv_header(), [](const Json& point, std::size_t) { return csv_row(point); }, ""};
}

ListFormat table_list(const std::vector<Figure>& figures) {
  return {title_line(figures) + unit_line(figures),
          [figures](const Json& point, std::size_t) {
            return table_line(figures, [&](const Figure& figure) { return figure.text(point); });
          },
          ""};
}

ListFormat md_list(const std::vector<Figure>& figures) {
  return {md_head(figures),
          [figures](const Json& point, std::size_t) {
            return md_line(figures, [&](const Figure& figure) { return figure.text(point); });
          },
          ""};
}

}  // namespace

Json grid_devices(const PointGrid& grid) {
  Json devices = Json::array();
  for (const Axis& axis : grid.axes()) {
    if (axis.option != "--device") continue;
    for (std::size_t i = 0; i < axis.size; ++i) {
      PointRequest request;
      axis.apply(request, i);
      devices.push_back(device_roofs(*request.device));
    }
  }
  return devices;
}

Json list_document(std::string_view command, const Arguments& arguments, const PointGrid& grid) {
  Json document = document_json(command, arguments);
  if (Json devices = grid_devices(grid); !devices.empty()) document["devices"] = std::move(devices);
  return document;
}

ListFormat list_format(Format format, const Json& document, const PointGrid& grid) {
  switch (format) {
    case Format::csv:
      return csv_list();
    case Format::json:
    case Format::html:
      return json_list(document);
    case Format::table:
      return table_list(figures_of(grid));
    case Format::md:
      return md_list(figures_of(grid));
  }
  return {};
}

}  // namespace tilemeter
