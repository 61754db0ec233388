// The part of model/reuse about matrix products whose blocks each own a tile of the result.
#pragma once

#include "model/problem.hpp"
#include "model/reuse.hpp"

namespace tilemeter {

/// A grid of blocks, columns fastest, `batch` times. Each walks a panel of A and one of B and writes a tile of C.
struct ProductGrid {
  Count batch = 1;
  Count rows = 1;  ///< blocks along the rows of C
  Count cols = 1;
  double a_panel = 0;  ///< bytes that a row of blocks shares
  double b_panel = 0;  ///< bytes that a column of blocks shares
  double c_tile = 0;
};

/// What the panels move beyond their first touch.
struct PanelsAgain {
  double a = 0;
  double b = 0;
};

/// Bytes of panels that have left the L2 before they are touched again, when `resident` blocks run in lockstep.
PanelsAgain panels_again(const ProductGrid& grid, Count resident, double capacity);

/// Device memory behind `gemm` with C stationary, `weight_layer`, and `standard_tiled`, whose S and P pass through
/// memory.
DramEstimate gemm_dram(const Case& point, const Concurrency& concurrency, double capacity);
DramEstimate weight_layer_dram(const Case& point, const Concurrency& concurrency, double capacity);
DramEstimate standard_tiled_dram(const Case& point, const Concurrency& concurrency, double capacity);

}  // namespace tilemeter
