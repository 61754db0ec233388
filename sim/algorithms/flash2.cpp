// FlashAttention-2 forward: query tiles outside, K/V tiles inside, O and LSE written once.
#include "sim/algorithms/describe.hpp"
#include "sim/operands.hpp"

namespace tilemeter {
namespace {

struct Flash2 {
  static constexpr std::string_view name = "flash2";
  static constexpr std::string_view idea =
      "Each block keeps one tile of Q, with its output and softmax statistics, on chip and streams all K and V past it.";
  static constexpr std::string_view source = "Dao, FlashAttention-2, 2023, Algorithm 1";
  static constexpr LoopOrder order = LoopOrder::q_outer;
  static constexpr std::string_view options = "--stages --empty-lse";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    const Problem& problem = point.problem;
    const VisitedTiles visited(problem, point.tiling);
    const Visibility visibility(problem);
    Operands<P> memory(gpu, problem);
    Tensor<P>& output = memory.declare_output(problem.dtype);
    Tensor<P>& lse = memory.declare_rows(TensorName::LSE, 1, problem.stat_dtype);
    const double infinity = std::numeric_limits<double>::infinity();
    const double empty_lse = point.options.empty_lse == EmptyLse::plus_infinity ? infinity : -infinity;
    const Shape q_shape = {visited.queries().size, problem.head_dim};
    const Count key_rows = std::min(point.tiling.block_k, problem.seq_k);

    gpu.launch(name, {.streams = memory.streams(), .rows = visited.query_runs()}, [&](Block<P>& block, const Place& at) {
      SharedTile<P> q = block.shared("Q", q_shape, problem.dtype);
      Ring<P> k_ring = block.ring("K", point.tiling.stages, {key_rows, problem.head_dim}, problem.dtype);
      Ring<P> v_ring = block.ring("V", point.tiling.stages, {key_rows, problem.head_dim_v}, problem.dtype);
      RegisterTile<P> o = block.registers("O", {q_shape.rows, problem.head_dim_v}, memory.accumulator());
      RegisterTile<P> s = block.registers("S", {q_shape.rows, key_rows}, memory.accumulator());
      RegisterTile<P> l = block.registers("l", {q_shape.rows, 1}, memory.accumulator());
      RegisterTile<P> m = block.registers("m", {q_shape.rows, 1}, memory.accumulator());
      const Count row = visited.queries().begin(at.row.index);
      const Count rows = visited.queries().size_of(at.row.index);
      RowFactors<P> factors = block.row_factors(rows);

      block.fill(o, {rows, problem.head_dim_v}, 0);
      block.fill(l, {rows, 1}, 0);
      block.fill(m, {rows, 1}, -infinity);
      const auto keys_of = [&](Count query_tile) { return visited.keys_of(query_tile); };
      if (!keys_of(at.row.index).empty()) block.load(Phase::load_q, q, memory.q(at.stream, row, rows));
      block.tiles(at.row, keys_of, [&](const TileSlot& tile) {
        SharedTile<P>& k = k_ring.next();
        SharedTile<P>& v = v_ring.next();
        block.load(Phase::load_k, k, memory.k(at.stream, tile.begin, tile.size));
        block.load(Phase::load_v, v, memory.v(at.stream, tile.begin, tile.size));
        block.scores(s, q, k);
        block.scale(s, score_scale(problem));
        block.mask(s, visibility, row, tile.begin);
        block.online_softmax(s, m, l, factors);
        block.scale_rows(o, factors.rescale);
        block.accumulate(o, s, v, problem.dtype);
        block.visit_tile();
      });
      block.divide_rows(o, l);
      block.log_sum_exp(m, l, empty_lse);
      block.store(Phase::store, memory.whole_rows(output, at.stream, row, rows), o);
      block.store(Phase::store, memory.whole_rows(lse, at.stream, row, rows), m);
    });
  }
};

}  // namespace

Algorithm flash2() { return describe<Flash2>(); }

}  // namespace tilemeter
