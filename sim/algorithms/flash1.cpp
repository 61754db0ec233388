// FlashAttention-1 forward, Algorithm 1: K/V tiles outside, query tiles inside, O, l and m in device memory.
#include "sim/algorithms/describe.hpp"
#include "sim/operands.hpp"

namespace tilemeter {
namespace {

/// The tiles of `range` that row split `split` of `splits` owns: every splits-th row block.
TileRange own_part(TileRange range, Count split, Count splits) {
  const Count behind = ((range.first - split) % splits + splits) % splits;
  range.first += behind == 0 ? 0 : splits - behind;
  range.stride = splits;
  return range;
}

/// The state that Algorithm 1 keeps in device memory between the outer steps.
template <class P>
struct State {
  Tensor<P>& o;
  Tensor<P>& l;
  Tensor<P>& m;
};

/// O, l and m on chip.
template <class P>
struct StateTiles {
  RegisterTile<P> o;
  RegisterTile<P> l;
  RegisterTile<P> m;
};

template <class P>
void clear(Block<P>& block, StateTiles<P>& tiles, Count rows, Count cols) {
  block.fill(tiles.o, {rows, cols}, 0);
  block.fill(tiles.l, {rows, 1}, 0);
  block.fill(tiles.m, {rows, 1}, -std::numeric_limits<double>::infinity());
}

template <class P>
void store_state(Block<P>& block, Operands<P>& memory, State<P>& state, StateTiles<P>& tiles, Count stream, Count row) {
  const Count rows = tiles.o.shape.rows;
  block.store(Phase::store, memory.whole_rows(state.o, stream, row, rows), tiles.o);
  block.store(Phase::store, memory.whole_rows(state.l, stream, row, rows), tiles.l);
  block.store(Phase::store, memory.whole_rows(state.m, stream, row, rows), tiles.m);
}

template <class P>
StateTiles<P> state_tiles(Block<P>& block, Count rows, Count cols, DType accumulator) {
  return {.o = block.registers("O", {rows, cols}, accumulator),
          .l = block.registers("l", {rows, 1}, accumulator),
          .m = block.registers("m", {rows, 1}, accumulator)};
}

struct Flash1 {
  static constexpr std::string_view name = "flash1";
  static constexpr std::string_view idea =
      "K and V are loaded once; for each of their tiles every tile of Q comes by with its normalised output and statistics.";
  static constexpr std::string_view source = "Dao et al., FlashAttention, 2022, Algorithm 1";
  static constexpr LoopOrder order = LoopOrder::kv_outer;
  static constexpr std::string_view options = "--stages --init --elide-first --row-splits --o-dtype";

  /// The initial O, l and m, written by a kernel of their own, or simply there.
  template <class P>
  static void initialise(Gpu<P>& gpu, const Case& point, Operands<P>& memory, State<P>& state, const TileRange& queries) {
    if (point.options.init == StatisticsInit::counted) {
      const Grid grid = {.streams = memory.streams(), .rows = runs_of(queries)};
      gpu.launch("flash1_init", grid, [&](Block<P>& block, const Place& at) {
        const Count rows = queries.size_of(at.row.index);
        const Count cols = state.o.shape.cols;
        StateTiles<P> tiles = state_tiles(block, queries.size, cols, memory.accumulator());
        clear(block, tiles, rows, cols);
        store_state(block, memory, state, tiles, at.stream, queries.begin(at.row.index));
      });
    } else if constexpr (P::has_numbers) {
      for (auto& m : state.m.streams) m.setConstant(-std::numeric_limits<typename P::Scalar>::infinity());
    }
  }

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    const Problem& problem = point.problem;
    if (point.options.init == StatisticsInit::counted && point.options.first_visit == FirstVisit::elides_read) {
      throw InputError("--init and --elide-first contradict each other: the initial O, l, m are either written or not read");
    }
    const VisitedTiles visited(problem, point.tiling);
    const Visibility visibility(problem);
    Operands<P> memory(gpu, problem);
    State<P> state = {.o = memory.declare_output(problem.o_dtype),
                      .l = memory.declare_rows(TensorName::l, 1, problem.stat_dtype),
                      .m = memory.declare_rows(TensorName::m, 1, problem.stat_dtype)};
    initialise(gpu, point, memory, state, visited.queries());

    const Count splits = point.options.row_splits;
    const Count query_rows = visited.queries().size;
    const Count key_rows = std::min(point.tiling.block_k, problem.seq_k);
    const std::vector<Run> key_runs = splits == 1 ? visited.key_runs() : single_runs(visited.key_tiles());
    const Grid grid = {.streams = memory.streams(), .rows = single_runs(splits)};
    gpu.launch(name, grid, [&](Block<P>& block, const Place& at) {
      SharedTile<P> q = block.shared("Q", {query_rows, problem.head_dim}, problem.dtype);
      Ring<P> k_ring = block.ring("K", point.tiling.stages, {key_rows, problem.head_dim}, problem.dtype);
      Ring<P> v_ring = block.ring("V", point.tiling.stages, {key_rows, problem.head_dim_v}, problem.dtype);
      RegisterTile<P> o = block.registers("O", {query_rows, problem.head_dim_v}, memory.accumulator());
      RegisterTile<P> s = block.registers("S", {query_rows, key_rows}, memory.accumulator());
      RegisterTile<P> l = block.registers("l", {query_rows, 1}, memory.accumulator());
      RegisterTile<P> m = block.registers("m", {query_rows, 1}, memory.accumulator());
      StateTiles<P> tiles = {.o = std::move(o), .l = std::move(l), .m = std::move(m)};
      RowFactors<P> factors = block.row_factors(query_rows);

      block.runs(key_runs, [&](const Slot& key_tile) {
        const auto queries_of = [&](Count j) { return own_part(visited.queries_of(j), at.row.index, splits); };
        if (queries_of(key_tile.index).empty()) return;
        const Count key = visited.keys().begin(key_tile.index);
        const Count keys = visited.keys().size_of(key_tile.index);
        SharedTile<P>& k = k_ring.next();
        SharedTile<P>& v = v_ring.next();
        block.load(Phase::load_k, k, memory.k(at.stream, key, keys));
        block.load(Phase::load_v, v, memory.v(at.stream, key, keys));

        const auto visit = [&](const TileSlot& tile, FirstVisit how) {
          block.load(Phase::load_q, q, memory.q(at.stream, tile.begin, tile.size));
          if (how == FirstVisit::elides_read) {
            clear(block, tiles, tile.size, problem.head_dim_v);
          } else {
            block.load(Phase::load_state, tiles.o, memory.whole_rows(state.o, at.stream, tile.begin, tile.size));
            block.load(Phase::load_state, tiles.l, memory.whole_rows(state.l, at.stream, tile.begin, tile.size));
            block.load(Phase::load_state, tiles.m, memory.whole_rows(state.m, at.stream, tile.begin, tile.size));
          }
          block.scores(s, q, k);
          block.scale(s, score_scale(problem));
          block.mask(s, visibility, tile.begin, key);
          block.online_softmax(s, tiles.m, tiles.l, factors);
          block.scale_rows(tiles.o, factors.carried);
          block.accumulate(tiles.o, s, v, problem.dtype);
          block.divide_rows(tiles.o, tiles.l);
          store_state(block, memory, state, tiles, at.stream, tile.begin);
          block.visit_tile();
        };
        const auto met_before = [&](Count j) {
          TileRange range = visited.queries_of(j);
          if (point.options.first_visit == FirstVisit::elides_read) range.last = visited.first_met_by(j).first;
          return own_part(range, at.row.index, splits);
        };
        block.tiles(key_tile, met_before, [&](const TileSlot& tile) { visit(tile, FirstVisit::reads_state); });
        if (point.options.first_visit == FirstVisit::reads_state) return;
        const auto first_met = [&](Count j) { return own_part(visited.first_met_by(j), at.row.index, splits); };
        block.tiles(key_tile, first_met, [&](const TileSlot& tile) { visit(tile, FirstVisit::elides_read); });
      });
    });
  }
};

}  // namespace

Algorithm flash1() { return describe<Flash1>(); }

}  // namespace tilemeter
