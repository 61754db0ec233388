// The candidates that survive, as the authors of kernels paste them.
#pragma once

#include <string>
#include <vector>

#include "tools/tune/tune.hpp"

namespace tilemeter {

/// "triton.Config({'BLOCK_M': 128, 'BLOCK_N': 64}, num_stages=2, num_warps=4)", the best first; candidates whose
/// accumulators spill are left out, and those with sizes that are no powers of two, which Triton refuses.
std::vector<std::string> triton_configs(const TuneResult& result);

/// "cute::Shape<cute::Int<128>, cute::Int<64>, cute::Int<64>>;  // queries, keys, head dimension; stages 2, warps 4".
std::vector<std::string> cutlass_shapes(const TuneResult& result);

}  // namespace tilemeter
