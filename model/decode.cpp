#include "model/decode.hpp"

#include "model/closed_form/catalog.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view streaming = "flash2";

/// K and V across the edge of the SM.
Bytes streamed(Problem problem, Packing packing, Count block_q) {
  problem.packing = packing;
  const Work work = closed_form(streaming, {.problem = problem, .tiling = {.block_q = block_q}, .options = {}});
  return named("the streamed K and V", [&] { return work[TensorName::K].read_bytes + work[TensorName::V].read_bytes; });
}

}  // namespace

DecodeCost decode_cost(const Problem& problem, Count block_q) {
  validate(problem);
  const Work least = compulsory(streaming, {.problem = problem, .tiling = {}, .options = {}});
  return named("the decoding step", [&] {
    const Count width = checked::add(problem.head_dim, problem.head_dim_v);
    const Count added = checked::multiply(checked::multiply(problem.batch, problem.kv_heads), problem.seq_q);
    return DecodeCost{
        .flops = Flops(checked::multiply(2 * width, visible_pairs(problem))),
        .cache = least[TensorName::K].read_bytes + least[TensorName::V].read_bytes,
        .rows = least[TensorName::Q].read_bytes + least[TensorName::O].write_bytes,
        .cache_packed = streamed(problem, Packing::packed, block_q),
        .cache_unpacked = streamed(problem, Packing::unpacked, block_q),
        .appended = bytes_of(Elements(checked::multiply(added, width)), problem.dtype),
    };
  });
}

}  // namespace tilemeter
