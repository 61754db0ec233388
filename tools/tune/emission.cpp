#include "tools/tune/emission.hpp"

namespace tilemeter {
namespace {

template <class Takes, class Text>
std::vector<std::string> of_survivors(const TuneResult& result, Takes takes, Text text) {
  std::vector<std::string> lines;
  for (const HardwareCandidate& candidate : result.candidates) {
    if (!candidate.rejected() && !candidate.spills() && takes(candidate.tiling)) lines.push_back(text(candidate));
  }
  return lines;
}

bool is_power_of_two(Count size) { return size > 0 && (size & (size - 1)) == 0; }

/// Triton's blocks are powers of two.
bool suits_triton(const Tiling& tiling) { return is_power_of_two(tiling.block_q) && is_power_of_two(tiling.block_k); }

std::string number(Count value) { return std::to_string(value); }

/// Four where no device says how many a block has room for.
Count warps_of(const HardwareCandidate& candidate) { return candidate.block.value_or(BlockOnDevice{}).warps; }

}  // namespace

std::vector<std::string> triton_configs(const TuneResult& result) {
  return of_survivors(result, suits_triton, [](const HardwareCandidate& candidate) {
    const Tiling& tiling = candidate.tiling;
    return "triton.Config({'BLOCK_M': " + number(tiling.block_q) + ", 'BLOCK_N': " + number(tiling.block_k) +
           "}, num_stages=" + number(tiling.stages) + ", num_warps=" + number(warps_of(candidate)) + ")";
  });
}

std::vector<std::string> cutlass_shapes(const TuneResult& result) {
  const auto any = [](const Tiling&) { return true; };
  return of_survivors(result, any, [&](const HardwareCandidate& candidate) {
    const Tiling& tiling = candidate.tiling;
    return "cute::Shape<cute::Int<" + number(tiling.block_q) + ">, cute::Int<" + number(tiling.block_k) +
           ">, cute::Int<" + number(result.point.problem.head_dim) + ">>;  // queries, keys, head dimension; stages " +
           number(tiling.stages) + ", warps " + number(warps_of(candidate));
  });
}

}  // namespace tilemeter
