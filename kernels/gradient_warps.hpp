// How the eight warps of a block share the products of a backward pass.
#pragma once

namespace tilemeter::kernels {

/// So many warps along the rows of each product, the others along its columns.
struct GradientWarps {
  int scores;          ///< S and dP: query rows by keys
  int key_gradients;   ///< dK and dV: keys by head dimension
  int query_gradient;  ///< dQ: query rows by head dimension

  static constexpr int all = 8;
};

}  // namespace tilemeter::kernels
