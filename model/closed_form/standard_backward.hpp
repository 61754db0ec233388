// The backward pass of standard attention, with P, dP and dS in device memory.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// Five kernels, every operand of a GEMM read once, the whole rectangle: dV = P^T dO; dP = dO V^T; dS from P and dP, a
/// row of both on chip; dQ = dS K; dK = dS^T Q. With N queries and keys 7N^2 + 8Nd elements a stream: N = 512, d = 64
/// give 2097152. Steps of their own (Options::unfused_gradients): dropout reads and writes dP once more and reads the
/// keep-mask Z, and dV then takes Pd in place of P; scale and mask each read and write dS once more, the mask by
/// position, without a tensor. FLOPs 4 rows Nk (d + dv), no exponentials. Grouped heads write dKx and dVx, which are
/// then summed. Source: FlashAttention, Algorithm 3.
Work standard_backward_bill(const Case& point);

/// "7N^2 + 8Nd" for five kernels.
std::string standard_backward_expression(const Case& point);

}  // namespace tilemeter
