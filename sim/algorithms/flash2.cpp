// FlashAttention-2 forward: query tiles outside, K/V tiles inside, O and LSE written once.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/query_outer.hpp"

namespace tilemeter {
namespace {

template <class P>
class Flash2Kernel {
 public:
  Flash2Kernel(Gpu<P>& gpu, const Case& point) : outer_(gpu, point) {}

  Grid grid() const { return {.streams = outer_.memory.streams(), .rows = outer_.visited.query_runs()}; }

  /// One tile of Q against all the keys in its reach.
  void operator()(Block<P>& block, const Place& at) {
    FlashTiles<P> tiles = outer_.make_tiles(block);
    const Count row = outer_.visited.queries().begin(at.row.index);
    const Count rows = outer_.visited.queries().size_of(at.row.index);
    const auto keys_of = [&](Count query_tile) { return outer_.visited.keys_of(query_tile); };

    tiles.clear(block, rows);
    if (!keys_of(at.row.index).empty()) block.load(Phase::load_q, tiles.q, outer_.memory.q(at.stream, row, rows));
    block.tiles(
        at.row, keys_of, [&](const TileSlot& keys) { step(block, tiles, at.stream, row, keys); }, walk_of(mistake()));
    outer_.finish(block, tiles.o, tiles.m, tiles.l, at.stream, row, rule_of(mistake()));
  }

 private:
  void step(Block<P>& block, FlashTiles<P>& tiles, Count stream, Count row, const TileSlot& keys) {
    SharedTile<P>& k = tiles.k.next();
    SharedTile<P>& v = tiles.v.next();
    block.load(Phase::load_k, k, outer_.memory.k(stream, keys.begin, keys.size));
    block.load(Phase::load_v, v, outer_.memory.v(stream, keys.begin, keys.size));
    outer_.attend(block, tiles, k, v, row, keys.begin, rule_of(mistake()));
  }

  Mistake mistake() const { return outer_.point.options.mistake; }

  QueryOuter<P> outer_;
};

struct Flash2 {
  static constexpr std::string_view name = "flash2";
  static constexpr std::string_view idea =
      "Each block keeps one tile of Q, with its output and softmax statistics, on chip and streams all K and V past "
      "it.";
  static constexpr std::string_view source = "Dao, FlashAttention-2, 2023, Algorithm 1";
  static constexpr std::string_view options = "--stages --empty-lse --unsafe";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    Flash2Kernel<P> kernel(gpu, point);
    gpu.launch(name, kernel.grid(), kernel);
  }
};

}  // namespace

Algorithm flash2() { return describe<Flash2>(); }

}  // namespace tilemeter
