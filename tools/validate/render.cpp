#include "tools/validate/render.hpp"

#include "tools/output/columns.hpp"
#include "tools/report/report.hpp"
#include "tools/tables/render.hpp"

namespace tilemeter::validation {
namespace {

constexpr std::string_view row_paths =
    "source kernel own problem metric split role measured predicted error low high inside roofline/seconds "
    "roofline/error two_level/seconds two_level/error within basis detail";

}  // namespace

std::string rendered(Format format, const Json& document, RowsShown shown) {
  if (format == Format::json) return document.dump(2) + "\n";
  if (format == Format::csv) return csv_of(document["rows"], row_paths);
  if (format == Format::html) return render_report(document.dump(), "tilemeter validate");
  return tables::render(format, summary_tables(document, shown));
}

}  // namespace tilemeter::validation
