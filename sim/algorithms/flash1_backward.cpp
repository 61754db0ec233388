// FlashAttention-1 backward, Algorithm 4: K/V tiles outside, query tiles inside, dQ in device memory.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/gradient_tiles.hpp"

namespace tilemeter {
namespace {

/// The tiles of a block, in the order of allocation.
template <class P>
struct Tiles {
  SharedTile<P> q;
  SharedTile<P> d_o;
  RegisterTile<P> dq;
  KeyGradients<P> keys;
  SharedTile<P> o;
  RegisterTile<P> l;
  RegisterTile<P> m;
  RegisterTile<P> d;

  Tiles(Block<P>& block, const Problem& problem, FlashShape shape, DType accumulator)
      : q(block.shared("Q", {shape.rows, problem.head_dim}, problem.dtype)),
        d_o(block.shared("dO", {shape.rows, problem.head_dim_v}, problem.dtype)),
        dq(block.registers("dQ", {shape.rows, problem.head_dim}, accumulator)),
        keys(block, problem, shape, accumulator),
        o(block.shared("O", {shape.rows, problem.head_dim_v}, problem.dtype)),
        l(block.registers("l", {shape.rows, 1}, accumulator)),
        m(block.registers("m", {shape.rows, 1}, accumulator)),
        d(block.registers("D", {shape.rows, 1}, accumulator)) {}
};

template <class P>
class Flash1BackwardKernel {
 public:
  Flash1BackwardKernel(Gpu<P>& gpu, const Case& point)
      : problem_(point.problem),
        tiles_(problem_, point.tiling),
        visibility_(problem_),
        memory_(gpu, problem_, problem_.o_dtype),
        o_(memory_.operands().declare_output()),
        l_(memory_.operands().declare_rows(TensorName::l, 1, problem_.stat_dtype)),
        m_(memory_.operands().declare_rows(TensorName::m, 1, problem_.stat_dtype)) {}

  Grid grid() const { return {.streams = memory_.streams(), .rows = {Run{}}}; }

  /// Writes the zeros that dQ, dK and dV start from.
  void initialise() {
    write_zeros(tiles_.queries(), problem_.head_dim, &GradientMemory<P>::d_q);
    write_zeros(tiles_.keys(), problem_.head_dim, &GradientMemory<P>::d_k);
    write_zeros(tiles_.keys(), problem_.head_dim_v, &GradientMemory<P>::d_v);
  }

  /// All key tiles, each against the query tiles in its reach.
  void operator()(Block<P>& block, const Place& at) {
    Tiles<P> tiles(block, problem_, tiles_.shape(), memory_.accumulator());
    block.runs(tiles_.key_runs(), [&](const Slot& slot) { key_step(block, tiles, at.stream, slot); });
  }

  void reduce() { memory_.reduce(); }

 private:
  using ViewOf = View<P> (GradientMemory<P>::*)(Count, Count, Count);

  void write_zeros(const TileRange& range, Count cols, ViewOf view) {
    memory_.gpu().launch("flash1_backward_init", {.streams = memory_.streams(), .rows = runs_of(range)},
                         [&](Block<P>& block, const Place& at) {
                           const Shape shape = {range.size_of(at.row.index), cols};
                           RegisterTile<P> zeros = block.idealised(shape, memory_.accumulator());
                           block.fill(zeros, shape, 0);
                           block.store(Phase::store, (memory_.*view)(at.stream, range.begin(at.row.index), shape.rows),
                                       zeros);
                         });
  }

  void key_step(Block<P>& block, Tiles<P>& tiles, Count stream, const Slot& slot) {
    const TileRange& range = tiles_.keys();
    const TileSlot keys = {slot.index, range.begin(slot.index), range.size_of(slot.index)};
    const auto queries_of = [&](Count j) { return tiles_.queries_of(j); };
    tiles.keys.clear(block, keys.size);
    if (!queries_of(slot.index).empty()) tiles.keys.load(block, memory_, stream, keys);
    block.tiles(slot, queries_of, [&](const TileSlot& rows) { visit(block, tiles, stream, rows, keys.begin); });
    tiles.keys.store(block, memory_, stream, keys);
  }

  /// One visit of a query tile: P again from l and m, then its part of dV, dK and dQ.
  void visit(Block<P>& block, Tiles<P>& tiles, Count stream, const TileSlot& rows, Count key) {
    KeyGradients<P>& keys = tiles.keys;
    load(block, tiles, stream, rows);
    gradient_scores(block, keys.s, tiles.q, keys.k, problem_, visibility_, rows.begin, key);
    block.normalise(keys.s, tiles.m, tiles.l);
    block.row_products(tiles.d, tiles.d_o, tiles.o);
    score_gradients(block, keys.dp, keys.s, tiles.d_o, keys.v, tiles.d, problem_);
    keys.accumulate(block, tiles.q, tiles.d_o, problem_.dtype);
    block.accumulate(tiles.dq, keys.dp, keys.k, problem_.dtype);
    block.store(Phase::store, memory_.d_q(stream, rows.begin, rows.size), tiles.dq);
    block.visit_tile();
  }

  void load(Block<P>& block, Tiles<P>& tiles, Count stream, const TileSlot& rows) {
    const auto part = [&](Tensor<P>& tensor) { return Operands<P>::whole_rows(tensor, stream, rows.begin, rows.size); };
    block.load(Phase::load_q, tiles.q, memory_.operands().q(stream, rows.begin, rows.size));
    block.load(Phase::load_state, tiles.o, part(o_));
    block.load(Phase::load_state, tiles.d_o, memory_.d_o(stream, rows.begin, rows.size));
    block.load(Phase::load_state, tiles.dq, memory_.d_q(stream, rows.begin, rows.size));
    block.load(Phase::load_state, tiles.l, part(l_));
    block.load(Phase::load_state, tiles.m, part(m_));
  }

  const Problem& problem_;
  GradientTiles tiles_;
  Visibility visibility_;
  GradientMemory<P> memory_;
  Tensor<P>& o_;
  Tensor<P>& l_;
  Tensor<P>& m_;
};

struct Flash1Backward {
  static constexpr std::string_view name = "flash1_backward";
  static constexpr std::string_view idea =
      "Each tile of K and V stays on chip with its gradients while all Q, O and dO come by; P is computed again, dQ is "
      "read back and written at every visit.";
  static constexpr std::string_view source = "Dao et al., FlashAttention, 2022, Algorithm 4";
  static constexpr std::string_view options = "--init --o-dtype";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    Flash1BackwardKernel<P> kernel(gpu, point);
    if (point.options.init == StatisticsInit::counted) kernel.initialise();
    gpu.launch(name, kernel.grid(), kernel);
    kernel.reduce();
  }
};

}  // namespace

Algorithm flash1_backward() { return describe<Flash1Backward>(); }

}  // namespace tilemeter
