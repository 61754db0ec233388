// Points as JSON, in the shape of the program's contract.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/point.hpp"

namespace tilemeter {

using Json = nlohmann::ordered_json;

/// Whether a point says if it was feasible, as rows of a sweep do.
enum class Feasibility { silent, stated };

/// One point. Integers are exact; a refused point has no traffic.
Json point_json(const PointResult& result, Feasibility feasibility);

/// {"schema": 1, "command": ..., "version": ...}, to which results are added.
Json document_json(std::string_view command);

}  // namespace tilemeter
