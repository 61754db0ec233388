// The figures that experiments fit and compare. T is the total traffic in elements.
#pragma once

#include "model/complexity/experiment.hpp"

namespace tilemeter::complexity {

/// T.
Quantity total_traffic();

/// T without the part of `algorithm` that does not depend on M: "T - 2Nd" for flash1. T where no such part is known.
/// Without a variant, of the one that the algorithm lists first.
Quantity streamed_traffic(std::string_view algorithm, std::optional<Variant> variant = {});

/// What standard attention moves of S and P: T - 4Nd.
Quantity score_traffic();
/// What its backward pass moves of P, dP and dS: T - 8Nd.
Quantity gradient_score_traffic();

/// What standard attention within M (N <= M) streams past its panels: T - 4N^2 - 2Nd.
Quantity panel_traffic();

/// What a GEMM with C stationary moves of A and B: T - mn.
Quantity operand_traffic();

/// What flash1 moves of Q and O alone, without l and m.
Quantity query_and_output_traffic();

/// Floating-point operations in matrix products.
Quantity matmul_flops();

/// Elements in device memory that are neither input nor output of attention.
Quantity extra_memory();

/// T / (N^2 d^2 / M).
Quantity traffic_over_flash_order();
/// T / min(N^2 d^2 / M, N^2 d / sqrt(M)).
Quantity traffic_over_forward_order();
/// T / min((N^2 d^2 + N d^3) / M, (N^2 d + N d^2) / sqrt(M)).
Quantity traffic_over_backward_order();
/// T over the row-granular bound, and over the bound of the two score products, at M.
Quantity traffic_over_row_granular();
Quantity traffic_over_score_products();
/// T of a GEMM over the bounds of a product at M: of any, and of one with k >= 2 sqrt(M).
Quantity traffic_over_product();
Quantity traffic_over_deep_product();
/// T / (4Nd + N), and T / (5Nd + 4N): what flash2 and flash1 move when everything fits.
Quantity traffic_over_flash2_floor();
Quantity traffic_over_flash1_floor();

}  // namespace tilemeter::complexity
