// Pieces of the formulas that accompany a bill as text.
#pragma once

#include <string>

#include "model/problem.hpp"

namespace tilemeter {

/// Whether a stream is the textbooks' head: as many keys as queries (N), one head dimension (d), nothing packed.
bool is_textbook(const Problem& problem);

/// Query rows of a stream as text: "Nq", or "gNq" when packed.
std::string rows_symbol(const Problem& problem);

/// `per_stream`, or "(per_stream) x batch x heads" for several streams ("... x batch x kv_heads" when packed).
std::string over_streams(const Problem& problem, const std::string& per_stream);

}  // namespace tilemeter
