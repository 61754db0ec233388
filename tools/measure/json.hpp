// Measurements as JSON and as CSV: the form in which they are recorded.
#pragma once

#include <vector>

#include "tools/json.hpp"
#include "tools/measure/measurement.hpp"

namespace tilemeter {

/// One measurement. Times are in seconds, rates in SI units; a point that did not run has "supported": false and a
/// reason, one whose numbers, counters or times are wrong has a "failure".
Json measurement_json(const Measurement& measurement);

/// The whole record: what is common, and the points.
Json measure_document(const MeasureSetting& setting, const std::vector<Measurement>& measurements);

/// One line for every time of every point of a document, and one for a point without times; the same columns in every
/// file.
std::string measure_csv(const Json& document);

}  // namespace tilemeter
