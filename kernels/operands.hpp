// The tensors that launches take, by computation.
#pragma once

#include <vector>

#include "kernels/tensors.hpp"
#include "model/host_device.hpp"

namespace tilemeter::kernels {

/// Q, K, V in; O and LSE out. Throws FigureOverflow.
std::vector<Operand> flash_operands(const Case& point);

/// As flash_operands; of fp8 operands V is transposed, and there are `scales`: in fp32 what each K/V head's Q is to be
/// multiplied with, then each one's K, then each one's V. Throws FigureOverflow.
std::vector<Operand> flash3_operands(const Case& point);

/// Keys of a column of a transposed V, as it lies in memory: rows start at multiples of 16 bytes.
TILEMETER_HOST_DEVICE constexpr Count fp8_keys(Count seq_k) { return (seq_k + 15) / 16 * 16; }

/// A and B in, C out: row-major matrices a problem of the batch. Throws FigureOverflow.
std::vector<Operand> gemm_operands(const Case& point);

/// X, W and the scales of groups, if there are any, in; Y out: row-major matrices a problem of the batch, of tokens or
/// of output features. Throws FigureOverflow.
std::vector<Operand> weight_layer_operands(const Case& point);

/// As flash_operands, and Oacc and LSEacc where there are several splits. Throws FigureOverflow.
std::vector<Operand> split_kv_operands(const Case& point);

/// Q, K, V in; O out; the state KV or the scores S where the variant takes them through memory. Throws FigureOverflow.
std::vector<Operand> linear_operands(const Case& point);

/// X, and the side inputs if there are any, in; Y out. Throws FigureOverflow.
std::vector<Operand> chain_operands(const Case& point);

/// X in; Y out. Throws FigureOverflow.
std::vector<Operand> softmax_operands(const Case& point);

/// Q, K, V in; O, l, m kept between key tiles. Throws FigureOverflow.
std::vector<Operand> flash1_operands(const Case& point);

/// Q, K, V in; S and P between kernels; O out. Throws FigureOverflow.
std::vector<Operand> standard_operands(const Case& point);

/// Q, K, V, dO and the forward pass's O and LSE in; D, the buffers of dQacc, and dKx and dVx where they are expanded,
/// between kernels; dQ, dK, dV out. Throws FigureOverflow.
std::vector<Operand> flash2_backward_operands(const Case& point);

/// Q, K, V, dO and the forward pass's O, l and m in; dQ kept between key tiles; dKx and dVx where they are expanded; dK
/// and dV out. Throws FigureOverflow.
std::vector<Operand> flash1_backward_operands(const Case& point);

/// Q, K, V, dO and the forward pass's P in; dP, dS, and dKx and dVx where they are expanded, between kernels; dQ, dK,
/// dV out. Throws FigureOverflow.
std::vector<Operand> standard_backward_operands(const Case& point);

}  // namespace tilemeter::kernels
