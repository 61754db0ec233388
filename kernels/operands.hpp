// The tensors that launches take, by computation.
#pragma once

#include <vector>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// Q, K, V in; O and LSE out. Throws FigureOverflow.
std::vector<Operand> flash_operands(const Case& point);

/// Q, K, V in; O, l, m kept between key tiles. Throws FigureOverflow.
std::vector<Operand> flash1_operands(const Case& point);

/// Q, K, V in; S and P between kernels; O out. Throws FigureOverflow.
std::vector<Operand> standard_operands(const Case& point);

}  // namespace tilemeter::kernels
