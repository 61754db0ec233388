// FlashAttention-2 with boustrophedon K/V order: one block a stream, and the K/V tile at a turn loaded once.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/flash_tiles.hpp"

namespace tilemeter {
namespace {

constexpr Walk walk_of_row(Count query_tile) { return query_tile % 2 == 0 ? Walk::ascending : Walk::descending; }

template <class P>
class Kernel {
 public:
  Kernel(Gpu<P>& gpu, const Case& point)
      : point_(point),
        problem_(point.problem),
        visited_(problem_, point.tiling),
        visibility_(problem_),
        memory_(gpu, problem_),
        output_(memory_.declare_output(problem_.dtype)),
        lse_(memory_.declare_rows(TensorName::LSE, 1, problem_.stat_dtype)) {}

  /// One block a stream: it has to hold the tile that its next query tile begins with.
  Grid grid() const { return {.streams = memory_.streams(), .rows = single_runs(1)}; }

  /// All tiles of Q in turn, each against the keys in its reach.
  void operator()(Block<P>& block, const Place& at) {
    const FlashShape shape = {.rows = visited_.queries().size, .keys = std::min(point_.tiling.block_k, problem_.seq_k)};
    FlashTiles<P> tiles(block, problem_, point_.tiling.stages, shape, memory_.accumulator());
    block.runs(visited_.query_walk_runs(), [&](const Slot& slot) { query_step(block, tiles, at.stream, slot); });
  }

 private:
  /// The tile that query tile `a` begins with if the one before ended with it, as a range of one tile; else empty.
  TileRange kept(Count a) const {
    const TileRange mine = visited_.keys_of(a);
    const TileRange before = a == 0 ? TileRange{} : visited_.keys_of(a - 1);
    const bool ascends = walk_of_row(a) == Walk::ascending;
    TileRange range = mine;
    range.last = range.first = ascends ? mine.first : mine.last;
    if (mine.empty() || before.empty() || (ascends ? mine.first != before.first : mine.last != before.last)) {
      return range;
    }
    (ascends ? range.last : range.first) += ascends ? 1 : -1;
    return range;
  }

  /// The other tiles of query tile `a`.
  TileRange loaded(Count a) const {
    TileRange range = visited_.keys_of(a);
    const Count kept_tiles = kept(a).length();
    if (walk_of_row(a) == Walk::ascending) range.first += kept_tiles;
    if (walk_of_row(a) == Walk::descending) range.last -= kept_tiles;
    return range;
  }

  void query_step(Block<P>& block, FlashTiles<P>& tiles, Count stream, const Slot& slot) {
    const Count row = visited_.queries().begin(slot.index);
    const Count rows = visited_.queries().size_of(slot.index);
    tiles.clear(block, rows);
    if (!visited_.keys_of(slot.index).empty()) block.load(Phase::load_q, tiles.q, memory_.q(stream, row, rows));
    block.tiles(
        slot, [&](Count a) { return kept(a); }, [&](const TileSlot& keys) { attend(block, tiles, row, keys.begin); });
    block.tiles(
        slot, [&](Count a) { return loaded(a); },
        [&](const TileSlot& keys) {
          block.load(Phase::load_k, tiles.k.next(), memory_.k(stream, keys.begin, keys.size));
          block.load(Phase::load_v, tiles.v.next(), memory_.v(stream, keys.begin, keys.size));
          attend(block, tiles, row, keys.begin);
        },
        walk_of_row(slot.index));
    block.divide_rows(tiles.o, tiles.l);
    block.log_sum_exp(tiles.m, tiles.l, empty_lse_of(point_.options));
    block.store(Phase::store, memory_.whole_rows(output_, stream, row, rows), tiles.o);
    block.store(Phase::store, memory_.whole_rows(lse_, stream, row, rows), tiles.m);
  }

  /// The rows of a query tile against the K/V tile on chip.
  void attend(Block<P>& block, FlashTiles<P>& tiles, Count row, Count key) {
    masked_scores(block, tiles, tiles.k.current(), problem_, visibility_, row, key);
    block.online_softmax(tiles.s, tiles.m, tiles.l, tiles.factors);
    block.scale_rows(tiles.o, tiles.factors.rescale);
    block.accumulate(tiles.o, tiles.s, tiles.v.current(), problem_.dtype);
    block.visit_tile();
  }

  const Case& point_;
  const Problem& problem_;
  VisitedTiles visited_;
  Visibility visibility_;
  Operands<P> memory_;
  Tensor<P>& output_;
  Tensor<P>& lse_;
};

struct Zigzag {
  static constexpr std::string_view name = "zigzag";
  static constexpr std::string_view idea =
      "flash2 in one block a stream: odd query tiles walk K and V backwards, and the tile on which two of them turn is "
      "loaded once.";
  static constexpr std::string_view source =
      "boustrophedon order of FlashAttention-2's loops; optimal among schedules that hold whole rows, by exhaustive "
      "search of small cases";
  static constexpr std::string_view options = "--stages --empty-lse";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    Kernel<P> kernel(gpu, point);
    gpu.launch(name, kernel.grid(), kernel);
  }
};

}  // namespace

Algorithm zigzag() { return describe<Zigzag>(); }

}  // namespace tilemeter
