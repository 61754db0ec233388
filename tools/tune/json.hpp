// Results of `tune` as JSON.
#pragma once

#include <vector>

#include "tools/json.hpp"
#include "tools/tune/tune.hpp"

namespace tilemeter {

/// {"algorithm", "problem", "budget", "compulsory", "lower_bound", "search", "best": [...], "front", "candidates":
/// [...]}. Traffic and memory have elements and bytes; "front" has the unit of the budget.
Json tune_json(const TuneResult& result);

/// The document: "results", in the order of the options.
Json tune_document(const Arguments& arguments, const std::vector<TuneResult>& results, TuneBy by);

}  // namespace tilemeter
