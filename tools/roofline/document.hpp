// The JSON of `tilemeter roofline`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/json.hpp"
#include "tools/roofline/views.hpp"

namespace tilemeter::roofline {

/// {"schema", "command", "version", "arguments", "view", "devices": their roofs, "notes"}.
Json roofline_document(const Arguments& arguments, std::string_view view, const std::vector<Device>& devices,
                       const std::vector<std::string>& notes);

/// The document of a view's result, with its rows.
Json result_document(const Arguments& arguments, std::string_view view, const Result& result);

}  // namespace tilemeter::roofline
