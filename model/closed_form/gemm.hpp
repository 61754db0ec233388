// A tiled matrix product C (m x n) = A (m x k) B (k x n), with one of its operands stationary or none.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// With Tm, Tn, Tk tiles along m, n, k, elements read and written per problem:
///
///   order          A read  B read  C read       C written
///   c_stationary   mk Tn   kn Tm   0            mn
///   a_stationary   mk      kn Tm   mn (Tk - 1)  mn Tk      the first touch of C is not read
///   b_stationary   mk Tn   kn      mn (Tk - 1)  mn Tk
///   no_reuse       mk Tn   kn Tm   mn Tk        mn Tk
///
/// 512 x 512 x 64 in tiles of 16 x 16: 2,359,296 with C stationary. Source: the classical analysis of tiled matrix
/// products.
Work gemm_bill(const Case& point);

/// Stages are a ring that A and B pass through while C stays; other orders keep an operand, and have one stage.
std::string refuse_gemm(std::string_view name, const Case& point);

/// A and B read once, C written once.
Work gemm_compulsory(const Case& point);

/// "mk Tn + kn Tm + mn".
std::string gemm_expression(const Case& point);

/// A, B, C: s (bm bk + bk bn) + bm bn elements with s stages.
std::vector<KernelTiles> gemm_tiles(const Case& point);

/// The order of a point: its option, or c_stationary.
GemmOrder gemm_order_of(const Case& point);

/// How often an element of C is rounded to its type in memory.
Count gemm_roundings(const Case& point);

}  // namespace tilemeter
