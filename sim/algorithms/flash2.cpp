// FlashAttention-2 forward: query tiles outside, K/V tiles inside, O and LSE written once.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/flash_tiles.hpp"

namespace tilemeter {
namespace {

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

  Grid grid() const { return {.streams = memory_.streams(), .rows = visited_.query_runs()}; }

  /// One tile of Q against all the keys in its reach.
  void operator()(Block<P>& block, const Place& at) {
    const FlashShape shape = {.rows = visited_.queries().size, .keys = std::min(point_.tiling.block_k, problem_.seq_k)};
    FlashTiles<P> tiles(block, problem_, point_.tiling.stages, shape, memory_.accumulator());
    const Count row = visited_.queries().begin(at.row.index);
    const Count rows = visited_.queries().size_of(at.row.index);
    const auto keys_of = [&](Count query_tile) { return visited_.keys_of(query_tile); };

    tiles.clear(block, rows);
    if (!keys_of(at.row.index).empty()) block.load(Phase::load_q, tiles.q, memory_.q(at.stream, row, rows));
    block.tiles(
        at.row, keys_of, [&](const TileSlot& keys) { step(block, tiles, at.stream, row, keys); }, walk_of(mistake()));
    block.divide_rows(tiles.o, tiles.l, rule_of(mistake()));
    block.log_sum_exp(tiles.m, tiles.l, empty_lse_of(point_.options));
    block.store(Phase::store, memory_.whole_rows(output_, at.stream, row, rows), tiles.o);
    block.store(Phase::store, memory_.whole_rows(lse_, at.stream, row, rows), tiles.m);
  }

 private:
  void step(Block<P>& block, FlashTiles<P>& tiles, Count stream, Count row, const TileSlot& keys) {
    SharedTile<P>& k = tiles.k.next();
    SharedTile<P>& v = tiles.v.next();
    block.load(Phase::load_k, k, memory_.k(stream, keys.begin, keys.size));
    block.load(Phase::load_v, v, memory_.v(stream, keys.begin, keys.size));
    masked_scores(block, tiles, k, problem_, visibility_, row, keys.begin);
    block.online_softmax(tiles.s, tiles.m, tiles.l, tiles.factors, rule_of(mistake()));
    block.scale_rows(tiles.o, tiles.factors.rescale);
    block.accumulate(tiles.o, tiles.s, v, problem_.dtype);
    block.visit_tile();
  }

  Mistake mistake() const { return point_.options.mistake; }

  const Case& point_;
  const Problem& problem_;
  VisitedTiles visited_;
  Visibility visibility_;
  Operands<P> memory_;
  Tensor<P>& output_;
  Tensor<P>& lse_;
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
    Kernel<P> kernel(gpu, point);
    gpu.launch(name, kernel.grid(), kernel);
  }
};

}  // namespace

Algorithm flash2() { return describe<Flash2>(); }

}  // namespace tilemeter
