// FlashAttention-1 forward, Algorithm 1: K/V tiles outside, query tiles inside, O, l and m in device memory.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/flash_tiles.hpp"

namespace tilemeter {
namespace {

/// The tiles of `range` that row split `split` of `splits` owns: every splits-th row block.
TileRange own_part(TileRange range, Count split, Count splits) {
  const Count behind = ((range.first - split) % splits + splits) % splits;
  range.first += behind == 0 ? 0 : splits - behind;
  range.stride = splits;
  return range;
}

template <class P>
class Flash1Kernel {
 public:
  Flash1Kernel(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        point_(point),
        problem_(point.problem),
        visited_(problem_, point.tiling),
        visibility_(problem_),
        memory_(gpu, problem_),
        o_(memory_.declare_output(problem_.o_dtype)),
        l_(memory_.declare_rows(TensorName::l, 1, problem_.stat_dtype)),
        m_(memory_.declare_rows(TensorName::m, 1, problem_.stat_dtype)),
        key_runs_(splits() == 1 ? visited_.key_runs() : single_runs(visited_.key_tiles())) {}

  /// A block a row split; those beyond the query tiles own none of them, and are alike.
  Grid grid() const {
    const Count owners = std::min(splits(), visited_.query_tiles());
    Grid grid{.streams = memory_.streams(), .rows = single_runs(owners)};
    if (splits() > owners) grid.rows.push_back({.first = owners, .step = 1, .count = splits() - owners});
    return grid;
  }

  /// Puts the initial O, l and m in place: by a kernel of their own, or simply so.
  void initialise() {
    if (point_.options.init == StatisticsInit::counted) {
      const TileRange& queries = visited_.queries();
      gpu_.launch("flash1_init", {.streams = memory_.streams(), .rows = runs_of(queries)},
                  [&](Block<P>& block, const Place& at) {
                    FlashTiles<P> tiles = make_tiles(block);
                    tiles.clear(block, queries.size_of(at.row.index));
                    store_state(block, tiles, at.stream, queries.begin(at.row.index));
                  });
    } else if constexpr (P::has_numbers) {
      for (auto& m : m_.streams) m.setConstant(-std::numeric_limits<typename P::Scalar>::infinity());
    }
  }

  /// All key tiles, each against the query tiles in its reach.
  void operator()(Block<P>& block, const Place& at) {
    FlashTiles<P> tiles = make_tiles(block);
    block.runs(
        key_runs_, [&](const Slot& keys) { key_step(block, tiles, at, keys); }, walk());
  }

 private:
  Count splits() const { return point_.options.row_splits; }
  SoftmaxRule rule() const { return rule_of(point_.options.mistake); }
  Walk walk() const { return walk_of(point_.options.mistake); }

  FlashTiles<P> make_tiles(Block<P>& block) const {
    const FlashShape shape = {.rows = visited_.queries().size, .keys = std::min(point_.tiling.block_k, problem_.seq_k)};
    return FlashTiles<P>(block, problem_, point_.tiling.stages, shape, memory_.accumulator());
  }

  void key_step(Block<P>& block, FlashTiles<P>& tiles, const Place& at, const Slot& slot) {
    const auto own = [&](const TileRange& range) { return own_part(range, at.row.index, splits()); };
    if (own(visited_.queries_of(slot.index)).empty()) return;
    const Count key = visited_.keys().begin(slot.index);
    const Count keys = visited_.keys().size_of(slot.index);
    SharedTile<P>& k = tiles.k.next();
    SharedTile<P>& v = tiles.v.next();
    block.load(Phase::load_k, k, memory_.k(at.stream, key, keys));
    block.load(Phase::load_v, v, memory_.v(at.stream, key, keys));

    const bool elides = point_.options.first_visit == FirstVisit::elides_read;
    const auto met_before = [&](Count j) {
      TileRange range = visited_.queries_of(j);
      if (!elides) return own(range);
      const TileRange first_met = visited_.first_met_by(j, walk());
      if (walk() == Walk::ascending) range.last = first_met.first;
      if (walk() == Walk::descending) range.first = first_met.last;
      return own(range);
    };
    block.tiles(slot, met_before, [&](const TileSlot& rows) {
      load_state(block, tiles, at.stream, rows);
      update(block, tiles, at.stream, rows, k, v, key);
    });
    if (!elides) return;
    const auto first_met = [&](Count j) { return own(visited_.first_met_by(j, walk())); };
    block.tiles(slot, first_met, [&](const TileSlot& rows) {
      tiles.clear(block, rows.size);
      update(block, tiles, at.stream, rows, k, v, key);
    });
  }

  /// One visit of a query tile: its normalised output takes the keys in, and goes back to memory.
  void update(Block<P>& block, FlashTiles<P>& tiles, Count stream, const TileSlot& rows, const SharedTile<P>& k,
              const SharedTile<P>& v, Count key) {
    block.load(Phase::load_q, tiles.q, memory_.q(stream, rows.begin, rows.size));
    masked_scores(block, tiles, k, problem_, visibility_, rows.begin, key);
    block.online_softmax(tiles.s, tiles.m, tiles.l, tiles.factors, rule());
    block.carry_rows(tiles.o, tiles.factors);
    block.accumulate(tiles.o, tiles.s, v, problem_.dtype);
    block.divide_rows(tiles.o, tiles.l, rule());
    store_state(block, tiles, stream, rows.begin);
    block.visit_tile();
  }

  void load_state(Block<P>& block, FlashTiles<P>& tiles, Count stream, const TileSlot& rows) {
    block.load(Phase::load_state, tiles.o, memory_.whole_rows(o_, stream, rows.begin, rows.size));
    block.load(Phase::load_state, tiles.l, memory_.whole_rows(l_, stream, rows.begin, rows.size));
    block.load(Phase::load_state, tiles.m, memory_.whole_rows(m_, stream, rows.begin, rows.size));
  }

  void store_state(Block<P>& block, FlashTiles<P>& tiles, Count stream, Count row) {
    const Count rows = tiles.o.shape.rows;
    block.store(Phase::store, memory_.whole_rows(o_, stream, row, rows), tiles.o);
    block.store(Phase::store, memory_.whole_rows(l_, stream, row, rows), tiles.l);
    block.store(Phase::store, memory_.whole_rows(m_, stream, row, rows), tiles.m);
  }

  Gpu<P>& gpu_;
  const Case& point_;
  const Problem& problem_;
  VisitedTiles visited_;
  Visibility visibility_;
  Operands<P> memory_;
  Tensor<P>& o_;
  Tensor<P>& l_;
  Tensor<P>& m_;
  std::vector<Run> key_runs_;
};

struct Flash1 {
  static constexpr std::string_view name = "flash1";
  static constexpr std::string_view idea =
      "K and V are loaded once; for each of their tiles every tile of Q comes by with its normalised output and "
      "statistics.";
  static constexpr std::string_view source = "Dao et al., FlashAttention, 2022, Algorithm 1";
  static constexpr std::string_view options = "--stages --init --elide-first --row-splits --o-dtype --unsafe";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    if (point.options.init == StatisticsInit::counted && point.options.first_visit == FirstVisit::elides_read) {
      throw InputError(
          "--init and --elide-first contradict each other: the initial O, l, m are either written or not read");
    }
    Flash1Kernel<P> kernel(gpu, point);
    kernel.initialise();
    gpu.launch(name, kernel.grid(), kernel);
  }
};

}  // namespace

Algorithm flash1() { return describe<Flash1>(); }

}  // namespace tilemeter
