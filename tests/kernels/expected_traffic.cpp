#include "tests/kernels/expected_traffic.hpp"

#include <algorithm>

using namespace tilemeter;

namespace {

constexpr Count unlimited = Count{1} << 40;

struct Band {
  Count shift, left, right, keys;
};

Band band_of(const Problem& problem, Count block_k) {
  const Count shift = problem.seq_k - problem.seq_q;
  const Count reached = (problem.seq_q + block_k - 1) / block_k * block_k;
  switch (problem.mask.kind) {
    case MaskKind::causal:
      return {shift, unlimited, 0, problem.seq_k};
    case MaskKind::causal_top_left:
      return {0, unlimited, 0, std::min(problem.seq_k, reached)};
    case MaskKind::window:
      return {shift, problem.mask.left.value_or(unlimited), problem.mask.right.value_or(unlimited), problem.seq_k};
    default:
      return {shift, unlimited, unlimited, problem.seq_k};
  }
}

void add_elements(Work& work, TensorName tensor, Count read, Count written, DType type) {
  Traffic traffic{.read = Elements(read), .write = Elements(written)};
  traffic.read_bytes = bytes_of(traffic.read, type);
  traffic.write_bytes = bytes_of(traffic.write, type);
  work[tensor] += traffic;
}

/// Key rows that row block `a` streams; counts the tiles.
Count streamed_keys(const Problem& problem, const Tiling& tiling, Count a, Count& tiles) {
  const Count keys = band_of(problem, tiling.block_k).keys;
  Count rows = 0;
  for (Count j = 0; j * tiling.block_k < keys; ++j) {
    if (!tile_is_visited(problem, tiling, a, j)) continue;
    ++tiles;
    rows += std::min(tiling.block_k, keys - j * tiling.block_k);
  }
  return rows;
}

}  // namespace

bool sees(const Problem& problem, Count row, Count key) {
  const Count position = row + problem.seq_k - problem.seq_q;
  switch (problem.mask.kind) {
    case MaskKind::none:
      return true;
    case MaskKind::causal:
      return key <= position;
    case MaskKind::causal_top_left:
      return key <= row;
    case MaskKind::window:
      return (!problem.mask.left || key >= position - *problem.mask.left) &&
             (!problem.mask.right || key <= position + *problem.mask.right);
    case MaskKind::arbitrary:
      return problem.mask.pairs->at(row, key);
  }
  return false;
}

bool tile_is_visited(const Problem& problem, const Tiling& tiling, Count a, Count j) {
  const Band band = band_of(problem, tiling.block_k);
  return j * tiling.block_k < band.keys && j * tiling.block_k < (a + 1) * tiling.block_q + band.shift + band.right &&
         (j + 1) * tiling.block_k > a * tiling.block_q + band.shift - band.left;
}

Work expected_traffic(const Case& point) {
  const Problem& problem = point.problem;
  const Tiling& tiling = point.tiling;
  Work work;
  for (Count stream = 0; stream < problem.batch * problem.heads; ++stream) {
    for (Count a = 0; a * tiling.block_q < problem.seq_q; ++a) {
      const Count rows = std::min(tiling.block_q, problem.seq_q - a * tiling.block_q);
      const Count keys = streamed_keys(problem, tiling, a, work.tiles);
      add_elements(work, TensorName::Q, keys > 0 ? rows * problem.head_dim : 0, 0, problem.dtype);
      add_elements(work, TensorName::K, keys * problem.head_dim, 0, problem.dtype);
      add_elements(work, TensorName::V, keys * problem.head_dim_v, 0, problem.dtype);
      add_elements(work, TensorName::O, 0, rows * problem.head_dim_v, problem.dtype);
      add_elements(work, TensorName::LSE, 0, rows, problem.stat_dtype);
    }
  }
  return work;
}

std::vector<Mask> all_masks() {
  const auto window = [](std::optional<Count> left, std::optional<Count> right) {
    return Mask{.kind = MaskKind::window, .left = left, .right = right};
  };
  return {{.kind = MaskKind::none},
          {.kind = MaskKind::causal},
          {.kind = MaskKind::causal_top_left},
          window(0, 0),
          window(10, 0),
          window(100, 20),
          window(0, 7),
          window({}, 5),
          window(7, {}),
          window({}, {})};
}

std::string describe(const Problem& problem) {
  const auto side = [](const std::optional<Count>& keys) { return keys ? std::to_string(*keys) : "-1"; };
  return "batch " + std::to_string(problem.batch) + ", heads " + std::to_string(problem.heads) + "/" +
         std::to_string(problem.kv_heads) + ", seq " + std::to_string(problem.seq_q) + "x" +
         std::to_string(problem.seq_k) + ", head dim " + std::to_string(problem.head_dim) + ", mask " +
         std::string(name_of(problem.mask.kind)) + " " + side(problem.mask.left) + "," + side(problem.mask.right);
}
