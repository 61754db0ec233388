// The timeline that `simulate --trace` wrote, as a document for the page.
#pragma once

#include <nlohmann/json.hpp>

namespace tilemeter::report {

/// Whether `document` is a trace in the Trace Event Format: an object with "traceEvents".
bool is_trace(const nlohmann::json& document);

/// {"schema", "command": "simulate --trace", "version", "units", "sms": [{"name", "spans"}]}. A span is [index of its
/// unit, phase or what was waited for, begin and duration in us, block, what it waited for]. Of long traces only the
/// spans that begin in the first part are kept, and "left_out" counts the others. Throws InputError for a trace that
/// the program did not write.
nlohmann::json document_of_trace(const nlohmann::json& trace, std::string_view origin);

}  // namespace tilemeter::report
