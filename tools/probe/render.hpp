// A run of the probes as a table, CSV or JSON.
#pragma once

#include <string>

#include "tools/output/target.hpp"
#include "tools/probe/run.hpp"

namespace tilemeter {

/// In JSON and CSV values are in the SI unit of their key, or in clocks. Throws InputError for HTML.
std::string render_probes(const ProbeRun& run, Format format);

}  // namespace tilemeter
