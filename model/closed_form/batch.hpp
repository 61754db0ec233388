// Batches of independent problems, for the computations without sequences.
#pragma once

#include <string>

#include "model/problem.hpp"

namespace tilemeter {

/// The problem with one stream for each of its batch: heads and packing belong to attention.
Problem one_stream_a_problem(Problem problem);

/// `per_problem`, or "(per_problem) x batch" for several.
std::string over_batch(const Problem& problem, const std::string& per_problem);

}  // namespace tilemeter
