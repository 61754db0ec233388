// The words for element types.
#pragma once

#include "model/dtype.hpp"
#include "tools/options/choice.hpp"

namespace tilemeter {

inline constexpr std::array<Choice<DType>, 5> operand_types = {
    {{"fp64", DType::fp64}, {"fp32", DType::fp32}, {"fp16", DType::fp16}, {"bf16", DType::bf16}, {"fp8", DType::fp8}}};

}  // namespace tilemeter
