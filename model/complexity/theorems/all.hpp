// The theorems, one function each.
#pragma once

#include "model/complexity/theorem.hpp"

namespace tilemeter::complexity {

Theorem flash_memory();
Theorem flash_forward();
Theorem flash_backward();
Theorem square_tiles();
Theorem flash_lower_bound();
Theorem block_sparse();
Theorem small_cache();
Theorem backward_order();
Theorem row_granular();
Theorem matmul();

}  // namespace tilemeter::complexity
