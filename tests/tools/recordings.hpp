// Documents of `measure` that were recorded on a GPU, and the points that their command lines ask for.
#pragma once

#include <string>
#include <vector>

#include "tools/json.hpp"
#include "tools/measure/points.hpp"

struct Recording {
  std::string path;  ///< of the document, without its extension
  tilemeter::Json document;
};

/// Every document of `measure` below traces/measured, sorted by path; those of ladders where rungs are compiled.
std::vector<Recording> recordings();

/// The points that the document's command line asks for, as the program plans and bills them today.
std::vector<tilemeter::Measurement> planned_again(const tilemeter::Json& document);
