// Attention for a small memory on chip: scores through device memory, tiles of block_q x block_k, and operands that
// come one column at a time.
#include <limits>

#include "sim/algorithms/describe.hpp"
#include "sim/operands.hpp"

namespace tilemeter {
namespace {

template <class P>
class MaterialisedKernels {
 public:
  MaterialisedKernels(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        problem_(point.problem),
        visibility_(problem_),
        memory_(gpu, problem_),
        s_(memory_.declare_rows(TensorName::S, problem_.seq_k, problem_.score_dtype)),
        l_(memory_.declare_rows(TensorName::l, 1, problem_.stat_dtype)),
        m_(memory_.declare_rows(TensorName::m, 1, problem_.stat_dtype)),
        o_(memory_.declare_output()),
        rows_(all_tiles(problem_.rows(), point.tiling.block_q)),
        keys_(all_tiles(problem_.seq_k, point.tiling.block_k)),
        key_rows_(std::min(point.tiling.block_k, problem_.seq_k)),
        columns_(all_tiles(problem_.head_dim_v, point.tiling.block_k)) {}

  /// S = scale Q K^T, masked: a block a tile of S, one column of Q and of K at a time.
  void scores() {
    const Grid grid = {.streams = memory_.streams(), .rows = runs_of(rows_), .cols = runs_of(keys_)};
    gpu_.launch("scores", grid, [&](Block<P>& block, const Place& at) {
      SharedTile<P> q = block.shared("Q", {rows_.size, 1}, problem_.dtype);
      SharedTile<P> k = block.shared("K", {key_rows_, 1}, problem_.dtype);
      RegisterTile<P> s = block.registers("S", {rows_.size, key_rows_}, memory_.accumulator());
      const TileSlot row = at_index(rows_, at.row.index);
      const TileSlot key = at_index(keys_, at.col.index);
      block.fill(s, {row.size, key.size}, 0);
      block.tiles(all_tiles(problem_.head_dim, 1), [&](const TileSlot& depth) {
        block.load(Phase::load_q, q, memory_.columns(memory_.q(at.stream, row.begin, row.size), depth.begin, 1));
        block.load(Phase::load_k, k, memory_.columns(memory_.k(at.stream, key.begin, key.size), depth.begin, 1));
        block.add_scores(s, q, k);
        block.visit_tile();
      });
      block.scale(s, score_scale(problem_));
      block.mask(s, visibility_, row.begin, key.begin);
      block.store(Phase::store, scores_at(at.stream, row, key), s);
    });
  }

  /// l and m of every row, in one pass over S.
  void statistics() {
    gpu_.launch("statistics", row_grid(), [&](Block<P>& block, const Place& at) {
      RegisterTile<P> s = block.registers("S", {rows_.size, key_rows_}, memory_.accumulator());
      RegisterTile<P> l = block.registers("l", {rows_.size, 1}, memory_.accumulator());
      RegisterTile<P> m = block.registers("m", {rows_.size, 1}, memory_.accumulator());
      RowFactors<P> factors = block.row_factors(rows_.size);
      const TileSlot row = at_index(rows_, at.row.index);
      block.fill(l, {row.size, 1}, 0);
      block.fill(m, {row.size, 1}, -std::numeric_limits<double>::infinity());
      block.tiles(keys_, [&](const TileSlot& key) {
        block.load(Phase::load_state, s, scores_at(at.stream, row, key));
        block.online_softmax(s, m, l, factors);
      });
      block.store(Phase::store, memory_.whole_rows(l_, at.stream, row.begin, row.size), l);
      block.store(Phase::store, memory_.whole_rows(m_, at.stream, row.begin, row.size), m);
    });
  }

  /// O = exp(S - m) V / l: a block a tile of O, one column of S and one key at a time.
  void output() {
    Grid grid = row_grid();
    grid.cols = runs_of(columns_);
    gpu_.launch("output", grid, [&](Block<P>& block, const Place& at) {
      RegisterTile<P> p = block.registers("P", {rows_.size, 1}, memory_.accumulator());
      RegisterTile<P> m = block.registers("m", {rows_.size, 1}, memory_.accumulator());
      RegisterTile<P> o = block.registers("O", {rows_.size, columns_.size}, memory_.accumulator());
      const TileSlot row = at_index(rows_, at.row.index);
      const TileSlot col = at_index(columns_, at.col.index);
      block.fill(o, {row.size, col.size}, 0);
      block.load(Phase::load_state, m, memory_.whole_rows(m_, at.stream, row.begin, row.size));
      block.tiles(all_tiles(problem_.seq_k, 1), [&](const TileSlot& key) {
        block.load(Phase::load_state, p, scores_at(at.stream, row, key));
        block.exponentiate(p, m);
        block.accumulate_arriving(Phase::load_v, o, p,
                                  memory_.columns(memory_.v(at.stream, key.begin, 1), col.begin, col.size),
                                  problem_.dtype);
        block.visit_tile();
      });
      RegisterTile<P>& l = p;  // no column of P is needed any more
      block.load(Phase::load_state, l, memory_.whole_rows(l_, at.stream, row.begin, row.size));
      block.divide_rows(o, l);
      block.store(Phase::store,
                  memory_.columns(memory_.whole_rows(o_, at.stream, row.begin, row.size), col.begin, col.size), o);
    });
  }

 private:
  Grid row_grid() const { return {.streams = memory_.streams(), .rows = runs_of(rows_)}; }
  static TileSlot at_index(const TileRange& range, Count index) {
    return {.index = index, .begin = range.begin(index), .size = range.size_of(index)};
  }
  View<P> scores_at(Count stream, const TileSlot& row, const TileSlot& key) {
    return memory_.columns(memory_.whole_rows(s_, stream, row.begin, row.size), key.begin, key.size);
  }

  Gpu<P>& gpu_;
  const Problem& problem_;
  Visibility visibility_;
  Operands<P> memory_;
  Tensor<P>& s_;
  Tensor<P>& l_;
  Tensor<P>& m_;
  Tensor<P>& o_;
  TileRange rows_;     // query rows in tiles of block_q
  TileRange keys_;     // keys in tiles of block_k
  Count key_rows_;     // keys of a tile of S on chip
  TileRange columns_;  // columns of V and O in tiles of block_k
};

struct Materialised {
  static constexpr std::string_view name = "materialised";
  static constexpr std::string_view idea =
      "For an M below about d^2 / 2: scores go through memory in square tiles that hold next to nothing of their "
      "operands, so that traffic falls with the square root of M.";
  static constexpr std::string_view source =
      "Saha & Ye, The I/O Complexity of Attention, or How Optimal is FlashAttention?, 2024, the small-cache algorithm";
  static constexpr std::string_view options = "--score-dtype";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    if (point.problem.rows() == 0) return;
    MaterialisedKernels<P> kernels(gpu, point);
    kernels.scores();
    kernels.statistics();
    kernels.output();
  }
};

}  // namespace

Algorithm materialised() { return describe<Materialised>(); }

}  // namespace tilemeter
