// Problem and tiling of the computations without sequences as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/point.hpp"

namespace tilemeter {

/// {"batch", sizes, "dtype"}: m, n, k; tokens, d_in, d_out, weight_dtype, group_size; rows, cols; length, ops,
/// side_inputs.
nlohmann::ordered_json neighbour_problem_json(const PointResult& result);

/// {"block_m", "block_n", "block_k", "order", "rule"}, of which softmax and chains have block_k and rule, and layers no
/// order. Sizes are null where no tile fits.
nlohmann::ordered_json neighbour_tiling_json(const PointResult& result);

}  // namespace tilemeter
