// FlashAttention-2 with boustrophedon K/V order: one block a stream, and the K/V tile at a turn loaded once.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/query_outer.hpp"

namespace tilemeter {
namespace {

constexpr Walk walk_of_row(Count query_tile) { return query_tile % 2 == 0 ? Walk::ascending : Walk::descending; }

template <class P>
class ZigzagKernel {
 public:
  ZigzagKernel(Gpu<P>& gpu, const Case& point) : outer_(gpu, point) {}

  /// One block a stream: it has to hold the tile that its next query tile begins with.
  Grid grid() const { return {.streams = outer_.memory.streams(), .rows = single_runs(1)}; }

  /// All tiles of Q in turn, each against the keys in its reach.
  void operator()(Block<P>& block, const Place& at) {
    FlashTiles<P> tiles = outer_.make_tiles(block);
    block.runs(outer_.visited.query_walk_runs(), [&](const Slot& slot) { query_step(block, tiles, at.stream, slot); });
  }

 private:
  /// The tile that query tile `a` begins with if the one before ended with it, as a range of one tile; else empty.
  TileRange kept(Count a) const {
    const TileRange mine = outer_.visited.keys_of(a);
    const TileRange before = a == 0 ? TileRange{} : outer_.visited.keys_of(a - 1);
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
    TileRange range = outer_.visited.keys_of(a);
    const Count kept_tiles = kept(a).length();
    if (walk_of_row(a) == Walk::ascending) range.first += kept_tiles;
    if (walk_of_row(a) == Walk::descending) range.last -= kept_tiles;
    return range;
  }

  void query_step(Block<P>& block, FlashTiles<P>& tiles, Count stream, const Slot& slot) {
    const Count row = outer_.visited.queries().begin(slot.index);
    const Count rows = outer_.visited.queries().size_of(slot.index);
    tiles.clear(block, rows);
    if (!outer_.visited.keys_of(slot.index).empty())
      block.load(Phase::load_q, tiles.q, outer_.memory.q(stream, row, rows));
    block.tiles(
        slot, [&](Count a) { return kept(a); },
        [&](const TileSlot& keys) {
          // The shape that it was loaded with; a folded loop has seen another tile since.
          tiles.k.current().resize({keys.size, outer_.problem.head_dim});
          tiles.v.current().resize({keys.size, outer_.problem.head_dim_v});
          outer_.attend(block, tiles, tiles.k.current(), tiles.v.current(), row, keys.begin);
        });
    block.tiles(
        slot, [&](Count a) { return loaded(a); },
        [&](const TileSlot& keys) {
          block.load(Phase::load_k, tiles.k.next(), outer_.memory.k(stream, keys.begin, keys.size));
          block.load(Phase::load_v, tiles.v.next(), outer_.memory.v(stream, keys.begin, keys.size));
          outer_.attend(block, tiles, tiles.k.current(), tiles.v.current(), row, keys.begin);
        },
        walk_of_row(slot.index));
    outer_.finish(block, tiles.o, tiles.m, tiles.l, stream, row);
  }

  QueryOuter<P> outer_;
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
    ZigzagKernel<P> kernel(gpu, point);
    gpu.launch(name, kernel.grid(), kernel);
  }
};

}  // namespace

Algorithm zigzag() { return describe<Zigzag>(); }

}  // namespace tilemeter
