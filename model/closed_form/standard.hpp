// Standard attention as the textbooks bill it: three kernels, every operand of a GEMM read once.
#pragma once

#include <string>

#include "model/closed_form/bill.hpp"
#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter {

/// S = Q K^T, P = softmax(S), O = P V for one head after another: 4Nd + 4N^2 elements for N queries and keys of
/// dimension d. The full rectangle under any mask; a row of S stays on chip in the softmax. N = 512, d = 64: 1179648
/// elements. A packed stream has g Nq rows and reads its K and V once. Without keys Q is still read, as an operand of
/// the first GEMM; without query rows nothing runs. Source: FlashAttention, Algorithm 0.
Work standard_bill(const Case& point);

std::string standard_expression(const Case& point);

/// The figures of the two GEMMs and the exponentials, which the variants with more kernels share.
void add_textbook_gemms(Bill& bill, const Problem& problem);

}  // namespace tilemeter
