// Points as JSON, in the shape of the program's contract.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/command.hpp"
#include "tools/point.hpp"

namespace tilemeter {

using Json = nlohmann::ordered_json;

/// Whether a point says if it was feasible, as rows of a sweep do.
enum class Feasibility { silent, stated };

/// What a point computes, and in what tiles; null without tiles. Both read the request's algorithm and segments, the
/// problem, shapes, options and tiling of `result`, and nothing else.
Json problem_json(const PointResult& result);
Json tiling_json(const PointResult& result);

/// One point. Integers are exact; a refused point has no traffic.
Json point_json(const PointResult& result, Feasibility feasibility);

/// {"schema": 1, "command": ..., "version": ...}, to which results are added.
Json document_json(std::string_view command);

/// The same with "arguments": the words and options of the command line in their order, but for those that say where
/// and how the result is shown (-o, --format, --resume, -j, -q, -v, --color). The same question has the same document.
Json document_json(std::string_view command, const Arguments& arguments);

}  // namespace tilemeter
