// Standard attention in three kernels with real GEMM tiles: block_q x block_k x block_d, the output tile stationary.
#include "sim/algorithms/describe.hpp"
#include "sim/operands.hpp"

namespace tilemeter {
namespace {

struct StandardTiled {
  static constexpr std::string_view name = "standard_tiled";
  static constexpr std::string_view idea =
      "The same three kernels under a real capacity: GEMM tiles that read an operand once for every tile of the other.";
  static constexpr std::string_view source = "C-stationary GEMM tiling; the algorithm is Dao et al., 2022, Algorithm 0";
  static constexpr std::string_view options = "--score-dtype --block-d";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    if (point.problem.rows() == 0) return;
    StandardTiledKernels<P> kernels(gpu, point);
    kernels.scores();
    if (point.options.row_softmax == RowSoftmax::resident) {
      kernels.resident_softmax();
    } else {
      kernels.online_softmax();
    }
    kernels.output();
  }

  template <class P>
  struct StandardTiledKernels {
    Gpu<P>& gpu;
    const Problem& problem;
    Visibility visibility;
    Operands<P> memory;
    Tensor<P>& s;
    Tensor<P>& p;
    Tensor<P>& o;
    TileRange rows;     // query rows in tiles of block_q
    TileRange keys;     // keys in tiles of block_k
    Count key_rows;     // rows of a K or V tile on chip
    TileRange depth;    // the head dimension of Q and K in steps of block_d
    TileRange columns;  // that of V and O

    StandardTiledKernels(Gpu<P>& where, const Case& point)
        : gpu(where),
          problem(point.problem),
          visibility(problem),
          memory(where, problem),
          s(memory.declare_rows(TensorName::S, problem.seq_k, problem.score_dtype)),
          p(memory.declare_rows(TensorName::P, problem.seq_k, problem.score_dtype)),
          o(memory.declare_output()),
          rows(all_tiles(problem.rows(), point.tiling.block_q)),
          keys(all_tiles(problem.seq_k, point.tiling.block_k)),
          key_rows(std::min(point.tiling.block_k, problem.seq_k)),
          depth(along_head(problem.head_dim, point.tiling.block_d)),
          columns(along_head(problem.head_dim_v, point.tiling.block_d)) {}

    static TileRange along_head(Count dim, Count block_d) { return all_tiles(dim, block_d == 0 ? dim : block_d); }

    View<P> scores_at(Tensor<P>& tensor, Count stream, const TileSlot& row, const TileSlot& key) {
      return Operands<P>::columns(Operands<P>::whole_rows(tensor, stream, row.begin, row.size), key.begin, key.size);
    }
    static TileSlot at_index(const TileRange& range, Count index) {
      return {.index = index, .begin = range.begin(index), .size = range.size_of(index)};
    }

    /// S = scale Q K^T: a block for every tile of S, in steps of block_d along the head dimension.
    void scores() {
      const Grid grid = {.streams = memory.streams(), .rows = runs_of(rows), .cols = runs_of(keys)};
      gpu.launch("scores", grid, [&](Block<P>& block, const Place& at) {
        SharedTile<P> q = block.shared("Q", {rows.size, depth.size}, problem.dtype);
        SharedTile<P> k = block.shared("K", {key_rows, depth.size}, problem.dtype);
        RegisterTile<P> tile = block.registers("S", {rows.size, key_rows}, memory.accumulator());
        const TileSlot row = at_index(rows, at.row.index);
        const TileSlot key = at_index(keys, at.col.index);
        block.fill(tile, {row.size, key.size}, 0);
        block.tiles(depth, [&](const TileSlot& part) {
          block.load(Phase::load_q, q, memory.columns(memory.q(at.stream, row.begin, row.size), part.begin, part.size));
          block.load(Phase::load_k, k, memory.columns(memory.k(at.stream, key.begin, key.size), part.begin, part.size));
          block.add_scores(tile, q, k);
          block.visit_tile();
        });
        block.scale(tile, score_scale(problem));
        block.store(Phase::store, scores_at(s, at.stream, row, key), tile);
      });
    }

    /// P = softmax(S), one row of S on chip.
    void resident_softmax() {
      gpu.launch("softmax", {.streams = memory.streams(), .rows = runs_of(rows)},
                 [&](Block<P>& block, const Place& at) {
                   RegisterTile<P> row = block.registers("S", {1, problem.seq_k}, memory.accumulator());
                   block.registers("l", {1, 1}, memory.accumulator());
                   block.registers("m", {1, 1}, memory.accumulator());
                   const Count begin = rows.begin(at.row.index);
                   block.tiles(all_tiles(rows.size_of(at.row.index), 1), [&](const TileSlot& at_row) {
                     block.load(Phase::load_state, row, memory.whole_rows(s, at.stream, begin + at_row.begin, 1));
                     block.mask(row, visibility, begin + at_row.begin, 0);
                     block.softmax(row);
                     block.store(Phase::store, memory.whole_rows(p, at.stream, begin + at_row.begin, 1), row);
                   });
                 });
    }

    /// P = softmax(S) in two passes over each row: statistics, then probabilities.
    void online_softmax() {
      gpu.launch("softmax", {.streams = memory.streams(), .rows = runs_of(rows)},
                 [&](Block<P>& block, const Place& at) {
                   RegisterTile<P> part = block.registers("S", {1, key_rows}, memory.accumulator());
                   RegisterTile<P> l = block.registers("l", {1, 1}, memory.accumulator());
                   RegisterTile<P> m = block.registers("m", {1, 1}, memory.accumulator());
                   RowFactors<P> factors = block.row_factors(1);
                   const Count begin = rows.begin(at.row.index);
                   block.tiles(all_tiles(rows.size_of(at.row.index), 1), [&](const TileSlot& at_row) {
                     const TileSlot row = {.begin = begin + at_row.begin, .size = 1};
                     const auto load_part = [&](const TileSlot& key) {
                       block.load(Phase::load_state, part, scores_at(s, at.stream, row, key));
                       block.mask(part, visibility, row.begin, key.begin);
                     };
                     block.fill(l, {1, 1}, 0);
                     block.fill(m, {1, 1}, -std::numeric_limits<double>::infinity());
                     block.tiles(keys, [&](const TileSlot& key) {
                       load_part(key);
                       block.online_softmax(part, m, l, factors);
                     });
                     block.tiles(keys, [&](const TileSlot& key) {
                       load_part(key);
                       block.normalise(part, m, l);
                       block.store(Phase::store, scores_at(p, at.stream, row, key), part);
                     });
                   });
                 });
    }

    /// O = P V: a block for every tile of O, in steps of block_k along the keys.
    void output() {
      const Grid grid = {.streams = memory.streams(), .rows = runs_of(rows), .cols = runs_of(columns)};
      gpu.launch("output", grid, [&](Block<P>& block, const Place& at) {
        SharedTile<P> weights = block.shared("P", {rows.size, key_rows}, problem.dtype);
        SharedTile<P> v = block.shared("V", {key_rows, columns.size}, problem.dtype);
        RegisterTile<P> tile = block.registers("O", {rows.size, columns.size}, memory.accumulator());
        const TileSlot row = at_index(rows, at.row.index);
        const TileSlot col = at_index(columns, at.col.index);
        block.fill(tile, {row.size, col.size}, 0);
        block.tiles(keys, [&](const TileSlot& key) {
          block.load(Phase::load_state, weights, scores_at(p, at.stream, row, key));
          block.load(Phase::load_v, v, memory.columns(memory.v(at.stream, key.begin, key.size), col.begin, col.size));
          block.accumulate(tile, weights, v, problem.dtype);
          block.visit_tile();
        });
        block.store(Phase::store,
                    memory.columns(memory.whole_rows(o, at.stream, row.begin, row.size), col.begin, col.size), tile);
      });
    }
  };
};

}  // namespace

Algorithm standard_tiled() { return describe<StandardTiled>(); }

}  // namespace tilemeter
