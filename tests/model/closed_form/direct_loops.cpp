#include "tests/model/closed_form/direct_loops.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilemeter {
namespace {

/// The two directions of one tensor, tile by tile.
class Memory {
 public:
  explicit Memory(Work& work) : work_(work) {}
  void load(TensorName tensor, Count elements, DType type) {
    work_[tensor].read += Elements(elements);
    work_[tensor].read_bytes += Bytes(elements * size_of(type));
  }
  void store(TensorName tensor, Count elements, DType type) {
    work_[tensor].write += Elements(elements);
    work_[tensor].write_bytes += Bytes(elements * size_of(type));
  }

 private:
  Work& work_;
};

/// Of an output that is not read back.
DType output_type(const Problem& p) { return p.dtype == DType::fp8 ? p.fp8_output : p.dtype; }

void visit(Work& work, const Problem& p, Count rows, Count keys) {
  work.matmul_flops += Flops(2 * rows * keys * p.head_dim) + Flops(2 * rows * keys * p.head_dim_v);
  work.exp.scores += rows * keys;
  work.exp.rescale += rows;
  work.tiles += 1;
}

/// One of the blocks that share a head of flash1: query tiles split, split + splits, ...
void flash1_split(Work& work, const Case& point, const TileMap& map, Count split, std::vector<bool>& seen) {
  const Problem& p = point.problem;
  Memory memory(work);
  for (Count j = 0; j < map.key_tiles(); ++j) {
    bool loaded = false;
    for (Count a = split; a < map.query_tiles(); a += point.options.row_splits) {
      if (!map.visited(a, j)) continue;
      if (!std::exchange(loaded, true)) {
        memory.load(TensorName::K, map.key_rows(j) * p.head_dim, p.dtype);
        memory.load(TensorName::V, map.key_rows(j) * p.head_dim_v, p.dtype);
      }
      const Count rows = map.query_rows(a);
      memory.load(TensorName::Q, rows * p.head_dim, p.dtype);
      std::vector<bool>::reference visited_before = seen[static_cast<std::size_t>(a)];
      if (visited_before || point.options.first_visit == FirstVisit::reads_state) {
        memory.load(TensorName::O, rows * p.head_dim_v, p.o_dtype);
        memory.load(TensorName::l, rows, p.stat_dtype);
        memory.load(TensorName::m, rows, p.stat_dtype);
      }
      visited_before = true;
      visit(work, p, rows, map.key_rows(j));
      memory.store(TensorName::O, rows * p.head_dim_v, p.o_dtype);
      memory.store(TensorName::l, rows, p.stat_dtype);
      memory.store(TensorName::m, rows, p.stat_dtype);
    }
  }
}

void flash1(Work& work, const Case& point) {
  const Problem& p = point.problem;
  const TileMap map(p, point.tiling.block_q, point.tiling.block_k);
  Memory memory(work);
  for (Count a = 0; a < map.query_tiles() && point.options.init == StatisticsInit::counted; ++a) {
    memory.store(TensorName::O, map.query_rows(a) * p.head_dim_v, p.o_dtype);
    memory.store(TensorName::l, map.query_rows(a), p.stat_dtype);
    memory.store(TensorName::m, map.query_rows(a), p.stat_dtype);
  }
  std::vector<bool> seen(static_cast<std::size_t>(map.query_tiles()), false);
  for (Count split = 0; split < point.options.row_splits; ++split) flash1_split(work, point, map, split, seen);
}

void flash2(Work& work, const Case& point) {
  const Problem& p = point.problem;
  const TileMap map(p, point.tiling.block_q, point.tiling.block_k);
  Memory memory(work);
  for (Count a = 0; a < map.query_tiles(); ++a) {
    const Count rows = map.query_rows(a);
    if (map.query_tile_visited(a)) memory.load(TensorName::Q, rows * p.head_dim, p.dtype);
    for (Count j = 0; j < map.key_tiles(); ++j) {
      if (!map.visited(a, j)) continue;
      memory.load(TensorName::K, map.key_rows(j) * p.head_dim, p.dtype);
      memory.load(TensorName::V, map.key_rows(j) * p.head_dim_v, p.dtype);
      visit(work, p, rows, map.key_rows(j));
    }
    memory.store(TensorName::O, rows * p.head_dim_v, output_type(p));
    memory.store(TensorName::LSE, rows, p.stat_dtype);
  }
}

/// flash2 with the last K/V tile of a query tile kept for the next, which walks the other way.
void zigzag(Work& work, const Case& point) {
  const Problem& p = point.problem;
  const TileMap map(p, point.tiling.block_q, point.tiling.block_k);
  flash2(work, point);
  Count last = -1;
  for (Count a = 0; a < map.query_tiles(); ++a) {
    std::vector<Count> walk;
    for (Count j = 0; j < map.key_tiles(); ++j) {
      if (map.visited(a, j)) walk.push_back(j);
    }
    if (walk.empty()) continue;
    if (a % 2 == 1) std::reverse(walk.begin(), walk.end());
    if (walk.front() == last) {
      const Count elements[] = {map.key_rows(last) * p.head_dim, map.key_rows(last) * p.head_dim_v};
      work[TensorName::K].read = work[TensorName::K].read - Elements(elements[0]);
      work[TensorName::V].read = work[TensorName::V].read - Elements(elements[1]);
      work[TensorName::K].read_bytes = work[TensorName::K].read_bytes - Bytes(elements[0] * size_of(p.dtype));
      work[TensorName::V].read_bytes = work[TensorName::V].read_bytes - Bytes(elements[1] * size_of(p.dtype));
    }
    last = walk.back();
  }
}

/// Key tiles of a stream as the splits share them out: those that a causal mask from the top left can reach.
Count shared_key_tiles(const Case& point, const TileMap& map) {
  const Problem& p = point.problem;
  if (p.mask.kind != MaskKind::causal_top_left) return map.key_tiles();
  return std::min(map.key_tiles(), ceil_div(p.seq_q, std::max<Count>(1, std::min(point.tiling.block_k, p.seq_k))));
}

void split_kv(Work& work, const Case& point) {
  const Problem& p = point.problem;
  const TileMap map(p, point.tiling.block_q, point.tiling.block_k);
  const Count splits = *point.options.splits;
  const Count per_split = std::max<Count>(1, ceil_div(shared_key_tiles(point, map), splits));
  Memory memory(work);
  for (Count a = 0; a < map.query_tiles(); ++a) {
    const Count rows = map.query_rows(a);
    for (Count split = 0; split < splits; ++split) {
      bool loaded = false;
      for (Count j = split * per_split; j < std::min((split + 1) * per_split, map.key_tiles()); ++j) {
        if (!map.visited(a, j)) continue;
        if (!std::exchange(loaded, true)) memory.load(TensorName::Q, rows * p.head_dim, p.dtype);
        const Count page = point.options.page_size;
        Count last_page = -1;
        for (Count key = j * point.tiling.block_k; page > 0 && key < j * point.tiling.block_k + map.key_rows(j);
             ++key) {
          if (std::exchange(last_page, key / page) != key / page) memory.load(TensorName::block_table, 1, DType::i32);
        }
        memory.load(TensorName::K, map.key_rows(j) * p.head_dim, p.dtype);
        memory.load(TensorName::V, map.key_rows(j) * p.head_dim_v, p.dtype);
        visit(work, p, rows, map.key_rows(j));
      }
      if (splits == 1) continue;
      memory.store(TensorName::Oacc, rows * p.head_dim_v, p.stat_dtype);
      memory.store(TensorName::LSEacc, rows, p.stat_dtype);
      memory.load(TensorName::Oacc, rows * p.head_dim_v, p.stat_dtype);
      memory.load(TensorName::LSEacc, rows, p.stat_dtype);
      work.exp.combine += 2 * rows;
    }
    memory.store(TensorName::O, rows * p.head_dim_v, output_type(p));
    memory.store(TensorName::LSE, rows, p.stat_dtype);
  }
}

/// The kernels between and around the two GEMMs of the textbook, each over all scores of a stream.
void standard_unfused(Work& work, const Case& point, const Options& o) {
  const Problem& p = point.problem;
  const Count scores = p.rows() * p.seq_k;
  if (p.seq_q == 0) return;
  Memory memory(work);
  const auto pass = [&](TensorName from, TensorName to) {
    memory.load(from, scores, p.score_dtype);
    memory.store(to, scores, p.score_dtype);
  };
  memory.load(TensorName::Q, p.rows() * p.head_dim, p.dtype);
  memory.load(TensorName::K, p.seq_k * p.head_dim, p.dtype);
  memory.store(TensorName::S, scores, p.score_dtype);
  if (o.unfused_scale) pass(TensorName::S, TensorName::S);
  if (o.unfused_mask) {
    pass(TensorName::S, TensorName::S);
    memory.load(TensorName::mask, o.mask_shape == MaskShape::row ? p.seq_k : scores, p.dtype);
  }
  pass(TensorName::S, TensorName::P);
  if (o.unfused_dropout) {
    pass(TensorName::P, TensorName::Pd);
    memory.store(TensorName::Z, scores, DType::u8);
  }
  memory.load(o.unfused_dropout ? TensorName::Pd : TensorName::P, scores, p.score_dtype);
  memory.load(TensorName::V, p.seq_k * p.head_dim_v, p.dtype);
  memory.store(TensorName::O, p.rows() * p.head_dim_v, output_type(p));
  work.matmul_flops += Flops(2 * scores * (p.head_dim + p.head_dim_v));
  work.exp.scores += scores;
}

/// One matrix product C = A B (m x k by k x n), a tile of C after the other.
struct Gemm {
  TensorName a, b, c;
  Count m, n, k;
  Count block_m, block_n, block_k;
  DType a_type, b_type, c_type;
};

void run(Work& work, const Gemm& gemm) {
  Memory memory(work);
  for (Count i = 0; i < gemm.m; i += gemm.block_m) {
    const Count rows = std::min(gemm.block_m, gemm.m - i);
    for (Count j = 0; j < gemm.n; j += gemm.block_n) {
      const Count cols = std::min(gemm.block_n, gemm.n - j);
      for (Count l = 0; l < gemm.k; l += gemm.block_k) {
        const Count depth = std::min(gemm.block_k, gemm.k - l);
        memory.load(gemm.a, rows * depth, gemm.a_type);
        memory.load(gemm.b, depth * cols, gemm.b_type);
        work.matmul_flops += Flops(2 * rows * cols * depth);
        work.tiles += 1;
      }
      memory.store(gemm.c, rows * cols, gemm.c_type);
    }
  }
}

void standard_tiled(Work& work, const Case& point) {
  const Problem& p = point.problem;
  const Tiling& t = point.tiling;
  const auto block_d = [&](Count extent) { return t.block_d == 0 ? extent : t.block_d; };
  Memory memory(work);
  run(work, {TensorName::Q, TensorName::K, TensorName::S, p.rows(), p.seq_k, p.head_dim, t.block_q, t.block_k,
             block_d(p.head_dim), p.dtype, p.dtype, p.score_dtype});
  const Count passes = point.options.row_softmax == RowSoftmax::resident ? 1 : 2;
  for (Count row = 0; row < p.rows(); ++row) {
    for (Count pass = 0; pass < passes; ++pass) memory.load(TensorName::S, p.seq_k, p.score_dtype);
    memory.store(TensorName::P, p.seq_k, p.score_dtype);
    work.exp.scores += passes * p.seq_k;
    if (passes == 2) work.exp.rescale += ceil_div(p.seq_k, t.block_k);
  }
  run(work, {TensorName::P, TensorName::V, TensorName::O, p.rows(), p.head_dim_v, p.seq_k, t.block_q,
             block_d(p.head_dim_v), t.block_k, p.score_dtype, p.dtype, output_type(p)});
}

void run_stream(std::string_view algorithm, Work& work, const Case& point) {
  if (algorithm == "flash1") return flash1(work, point);
  if (algorithm == "flash2") return flash2(work, point);
  if (algorithm == "flash3") return flash2(work, point);
  if (algorithm == "split_kv") return split_kv(work, point);
  if (algorithm == "zigzag") return zigzag(work, point);
  if (algorithm == "standard_tiled") return standard_tiled(work, point);
  if (algorithm == "standard_unfused") return standard_unfused(work, point, point.options);
  if (algorithm == "standard") {
    return standard_unfused(work, point, {.unfused_scale = false, .unfused_mask = false, .unfused_dropout = false});
  }
  throw std::logic_error("no loops for " + std::string(algorithm));
}

}  // namespace

bool sees(const Problem& problem, Count position, Count key) {
  const Count aligned = position + problem.seq_k - problem.seq_q;
  switch (problem.mask.kind) {
    case MaskKind::none:
      return true;
    case MaskKind::causal:
      return key <= aligned;
    case MaskKind::causal_top_left:
      return key <= position;
    case MaskKind::window:
      return (!problem.mask.left || key >= aligned - *problem.mask.left) &&
             (!problem.mask.right || key <= aligned + *problem.mask.right);
    case MaskKind::arbitrary:
      return problem.mask.pairs->at(position, key);
  }
  return false;
}

TileMap::TileMap(const Problem& problem, Count block_q, Count block_k)
    : rows_(problem.rows()),
      keys_(problem.seq_k),
      block_q_(block_q),
      block_k_(block_k),
      query_tiles_(ceil_div(rows_, block_q)),
      key_tiles_(ceil_div(keys_, block_k)),
      visited_(static_cast<std::size_t>(query_tiles_ * key_tiles_), false) {
  const Count rows_per_position = problem.packing == Packing::packed ? problem.group() : 1;
  for (Count row = 0; row < rows_; ++row) {
    for (Count key = 0; key < keys_; ++key) {
      if (!sees(problem, row / rows_per_position, key)) continue;
      visited_[static_cast<std::size_t>(row / block_q * key_tiles_ + key / block_k)] = true;
    }
  }
}

bool TileMap::query_tile_visited(Count a) const {
  for (Count j = 0; j < key_tiles_; ++j) {
    if (visited(a, j)) return true;
  }
  return false;
}

bool TileMap::key_tile_visited(Count j) const {
  for (Count a = 0; a < query_tiles_; ++a) {
    if (visited(a, j)) return true;
  }
  return false;
}

Work direct_bill(std::string_view algorithm, const Case& point) {
  Work work;
  for (Count stream = 0; stream < point.problem.streams(); ++stream) run_stream(algorithm, work, point);
  return work;
}

}  // namespace tilemeter
