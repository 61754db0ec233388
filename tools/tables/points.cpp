#include "tools/tables/points.hpp"

#include <stdexcept>

#include "model/closed_form/catalog.hpp"
#include "model/tiling_rule.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"

namespace tilemeter::tables {
namespace {

/// Type in memory of a tensor that attention writes.
DType written_type(TensorName tensor, const Problem& problem) {
  switch (tensor) {
    case TensorName::S:
    case TensorName::P:
      return problem.score_dtype;
    case TensorName::l:
    case TensorName::m:
    case TensorName::LSE:
      return problem.stat_dtype;
    case TensorName::O:
      return problem.o_dtype;
    default:
      break;
  }
  throw std::logic_error("attention does not write " + std::string(name_of(tensor)));
}

Elements size_of_tensor(TensorName tensor, const Problem& problem) {
  switch (tensor) {
    case TensorName::S:
    case TensorName::P:
      return Elements(problem.rows()) * problem.seq_k;
    case TensorName::O:
      return Elements(problem.rows()) * problem.head_dim_v;
    default:
      return Elements(problem.rows());
  }
}

}  // namespace

Case one_head(Count seq, Count head_dim) {
  Case point;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.problem.head_dim = point.problem.head_dim_v = head_dim;
  return point;
}

Case two_byte_head(Count seq, Count head_dim) { return uniform_head(seq, head_dim, DType::fp16); }

Case uniform_head(Count seq, Count head_dim, DType type) {
  Case point = one_head(seq, head_dim);
  point.problem.dtype = point.problem.stat_dtype = point.problem.score_dtype = point.problem.o_dtype = type;
  return point;
}

Case tiled(Case point, Count block_q, Count block_k) {
  point.tiling = {.block_q = block_q, .block_k = block_k, .rule = BlockRule::given};
  return point;
}

Budget elements_on_chip(Count capacity) {
  return {.elements = Elements(capacity), .owner = "M = " + std::to_string(capacity)};
}

Case ruled(std::string_view algorithm, const Case& point, BlockRule rule, Count capacity) {
  Case chosen = point;
  chosen.tiling = resolve_tiling(algorithm, point, rule, elements_on_chip(capacity), TileGranularity{});
  return chosen;
}

Billed bill(std::string_view algorithm, const Case& point) {
  const Counted counted = count(find_algorithm(algorithm), point, Budget{});
  return {.counted = counted.work, .closed = closed_form(algorithm, point), .needed = counted.memory.peak.elements};
}

Count closed_elements(std::string_view algorithm, const Case& point) {
  return closed_form(algorithm, point).total().total().value();
}

Bytes written_tensors(const Work& work, const Case& point) {
  Bytes sum;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (work.tensors[i].write.value() == 0) continue;
    const auto tensor = static_cast<TensorName>(i);
    sum += bytes_of(size_of_tensor(tensor, point.problem), written_type(tensor, point.problem));
  }
  return sum;
}

std::string tile_text(const Tiling& tiling) {
  return "(" + std::to_string(tiling.block_q) + ", " + std::to_string(tiling.block_k) + ")";
}

double mebibytes(Bytes bytes) { return static_cast<double>(bytes.value()) / (1 << 20); }

}  // namespace tilemeter::tables
