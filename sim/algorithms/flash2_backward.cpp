// FlashAttention-2 backward: D first, then K/V tiles outside with atomic adds to dQ, or a kernel for dQ of its own.
#include <numeric>

#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/gradient_tiles.hpp"

namespace tilemeter {
namespace {

/// Q and dO of a query tile.
template <class P>
struct QueryTiles {
  SharedTile<P> q;
  SharedTile<P> d_o;

  QueryTiles(Block<P>& block, const Problem& problem, Count rows)
      : q(block.shared("Q", {rows, problem.head_dim}, problem.dtype)),
        d_o(block.shared("dO", {rows, problem.head_dim_v}, problem.dtype)) {}
};

/// LSE and D of a query tile.
template <class P>
struct Statistics {
  RegisterTile<P> lse;
  RegisterTile<P> d;

  Statistics(Block<P>& block, Count rows, DType accumulator)
      : lse(block.registers("LSE", {rows, 1}, accumulator)), d(block.registers("D", {rows, 1}, accumulator)) {}
};

/// Steps of `runs` that are congruent to `residue` modulo `period`, as runs.
std::vector<Run> every_nth(const std::vector<Run>& runs, Count residue, Count period) {
  std::vector<Run> own;
  for (const Run& run : runs) {
    const Count cycle = period / std::gcd(run.step, period);
    for (Count k = 0; k < std::min(cycle, run.count); ++k) {
      if ((run.first + k * run.step) % period != residue) continue;
      own.push_back(
          {.first = run.first + k * run.step, .step = run.step * cycle, .count = ceil_div(run.count - k, cycle)});
      break;
    }
  }
  return own;
}

template <class P>
class Flash2BackwardKernels {
 public:
  Flash2BackwardKernels(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        problem_(point.problem),
        buffers_(accumulation_buffers(point)),
        deterministic_(point.options.accumulation == Accumulation::deterministic),
        tiles_(problem_, point.tiling),
        visibility_(problem_),
        memory_(gpu, problem_, problem_.dtype),
        o_(memory_.operands().declare_output()),
        lse_(memory_.operands().declare_rows(TensorName::LSE, 1, problem_.stat_dtype)),
        d_(memory_.operands().declare_rows(TensorName::D, 1, problem_.stat_dtype)) {}

  void with_atomics() {
    Tensor<P>& dq = gpu_.tensor(TensorName::dQacc, checked::multiply(memory_.streams(), buffers_),
                                {problem_.rows(), problem_.head_dim}, problem_.stat_dtype);
    preprocess(&dq);
    const std::vector<Run> blocks = deterministic_ ? single_runs(buffers_) : tiles_.key_runs();
    if (problem_.seq_k > 0) {
      gpu_.launch("main", {.streams = memory_.streams(), .rows = blocks},
                  [&](Block<P>& block, const Place& at) { accumulate_all(block, at, dq); });
    }
    postprocess(dq);
    memory_.reduce();
  }

  void with_two_kernels() {
    preprocess(nullptr);
    gpu_.launch("dk_dv", {.streams = memory_.streams(), .rows = tiles_.key_runs()},
                [&](Block<P>& block, const Place& at) { key_gradients(block, at); });
    gpu_.launch("dq", {.streams = memory_.streams(), .rows = tiles_.visited().query_runs()},
                [&](Block<P>& block, const Place& at) { query_gradients(block, at); });
    memory_.reduce();
  }

 private:
  View<P> rows_of(Tensor<P>& tensor, Count stream, const TileSlot& rows) const {
    return Operands<P>::whole_rows(tensor, stream, rows.begin, rows.size);
  }
  TileSlot panel(const TileRange& panels, const Place& at) const {
    return {at.row.index, panels.begin(at.row.index), panels.size_of(at.row.index)};
  }
  Count buffer_of(Count stream, Count buffer) const { return stream * buffers_ + buffer; }

  /// D = rowsum(dO o O); zeros in every buffer of `dq`, if there is one.
  void preprocess(Tensor<P>* dq) {
    const TileRange panels = all_tiles(problem_.rows(), elementwise_rows);
    gpu_.launch("preprocess", {.streams = memory_.streams(), .rows = runs_of(panels)},
                [&](Block<P>& block, const Place& at) {
                  const TileSlot rows = panel(panels, at);
                  RegisterTile<P> o = block.idealised({rows.size, problem_.head_dim_v}, problem_.dtype);
                  RegisterTile<P> d_o = block.idealised({rows.size, problem_.head_dim_v}, problem_.dtype);
                  RegisterTile<P> d = block.idealised({rows.size, 1}, memory_.accumulator());
                  block.load(Phase::load_state, o, rows_of(o_, at.stream, rows));
                  block.load(Phase::load_state, d_o, memory_.d_o(at.stream, rows.begin, rows.size));
                  block.row_products(d, d_o, o);
                  block.store(Phase::store, rows_of(d_, at.stream, rows), d);
                  if (dq != nullptr) write_zeros(block, *dq, at.stream, rows);
                });
  }

  void write_zeros(Block<P>& block, Tensor<P>& dq, Count stream, const TileSlot& rows) {
    RegisterTile<P> zeros = block.idealised({rows.size, problem_.head_dim}, memory_.accumulator());
    block.fill(zeros, zeros.shape, 0);
    block.tiles(all_tiles(buffers_, 1), [&](const TileSlot& buffer) {
      block.store(Phase::store, rows_of(dq, buffer_of(stream, buffer.index), rows), zeros);
    });
  }

  /// dQ = the sum of its buffers.
  void postprocess(Tensor<P>& dq) {
    const TileRange panels = all_tiles(problem_.rows(), elementwise_rows);
    gpu_.launch("postprocess", {.streams = memory_.streams(), .rows = runs_of(panels)},
                [&](Block<P>& block, const Place& at) {
                  const TileSlot rows = panel(panels, at);
                  RegisterTile<P> sum = block.idealised({rows.size, problem_.head_dim}, memory_.accumulator());
                  RegisterTile<P> part = block.idealised({rows.size, problem_.head_dim}, memory_.accumulator());
                  block.fill(sum, sum.shape, 0);
                  block.tiles(all_tiles(buffers_, 1), [&](const TileSlot& buffer) {
                    block.load(Phase::load_state, part, rows_of(dq, buffer_of(at.stream, buffer.index), rows));
                    block.add(sum, part);
                  });
                  block.store(Phase::store, memory_.d_q(at.stream, rows.begin, rows.size), sum);
                });
  }

  /// One key tile, or, where dQ is accumulated in order, every buffers-th of a stream.
  void accumulate_all(Block<P>& block, const Place& at, Tensor<P>& dq_accumulator) {
    const DType accumulator = memory_.accumulator();
    const FlashShape shape = tiles_.shape();
    QueryTiles<P> queries(block, problem_, shape.rows);
    RegisterTile<P> dq = block.registers("dQ", {shape.rows, problem_.head_dim}, accumulator);
    KeyGradients<P> keys(block, problem_, shape, accumulator);
    Statistics<P> statistics(block, shape.rows, accumulator);
    const Count buffer = deterministic_ ? at.row.index : 0;
    const auto key_step = [&](const Slot& slot) {
      visit_queries(block, queries, keys, statistics, at.stream, slot, [&](const TileSlot& rows) {
        block.fill(dq, {rows.size, problem_.head_dim}, 0);
        block.accumulate(dq, keys.dp, keys.k, problem_.dtype);
        block.atomic_add(Phase::store, rows_of(dq_accumulator, buffer_of(at.stream, buffer), rows), dq);
      });
    };
    if (deterministic_) {
      block.runs(every_nth(tiles_.key_runs(), buffer, buffers_), key_step);
    } else {
      key_step(at.row);
    }
  }

  void key_gradients(Block<P>& block, const Place& at) {
    const FlashShape shape = tiles_.shape();
    QueryTiles<P> queries(block, problem_, shape.rows);
    KeyGradients<P> keys(block, problem_, shape, memory_.accumulator());
    Statistics<P> statistics(block, shape.rows, memory_.accumulator());
    visit_queries(block, queries, keys, statistics, at.stream, at.row, [](const TileSlot&) {});
  }

  /// dK and dV of one key tile. `with_gradients` follows each visit of a query tile, when dS is on chip.
  template <class WithGradients>
  void visit_queries(Block<P>& block, QueryTiles<P>& queries, KeyGradients<P>& keys, Statistics<P>& statistics,
                     Count stream, const Slot& slot, WithGradients with_gradients) {
    const TileRange& range = tiles_.keys();
    const TileSlot key_tile = {slot.index, range.begin(slot.index), range.size_of(slot.index)};
    const auto queries_of = [&](Count j) { return tiles_.queries_of(j); };
    keys.clear(block, key_tile.size);
    if (!queries_of(slot.index).empty()) keys.load(block, memory_, stream, key_tile);
    block.tiles(slot, queries_of, [&](const TileSlot& rows) {
      load_queries(block, queries, statistics, stream, rows);
      gradient_scores(block, keys.s, queries.q, keys.k, problem_, visibility_, rows.begin, key_tile.begin);
      block.probabilities(keys.s, statistics.lse);
      score_gradients(block, keys.dp, keys.s, queries.d_o, keys.v, statistics.d, problem_);
      keys.accumulate(block, queries.q, queries.d_o, problem_.dtype);
      with_gradients(rows);
      block.visit_tile();
    });
    keys.store(block, memory_, stream, key_tile);
  }

  /// dQ of one query tile, over the keys in its reach.
  void query_gradients(Block<P>& block, const Place& at) {
    const DType accumulator = memory_.accumulator();
    const FlashShape shape = tiles_.shape();
    QueryTiles<P> queries(block, problem_, shape.rows);
    RegisterTile<P> dq = block.registers("dQ", {shape.rows, problem_.head_dim}, accumulator);
    SharedTile<P> k = block.shared("K", {shape.keys, problem_.head_dim}, problem_.dtype);
    SharedTile<P> v = block.shared("V", {shape.keys, problem_.head_dim_v}, problem_.dtype);
    RegisterTile<P> s = block.registers("S", {shape.rows, shape.keys}, accumulator);
    RegisterTile<P> dp = block.registers("dP", {shape.rows, shape.keys}, accumulator);
    Statistics<P> statistics(block, shape.rows, accumulator);
    const TileSlot rows = panel(tiles_.queries(), at);
    const auto keys_of = [&](Count a) { return tiles_.visited().keys_of(a); };
    block.fill(dq, {rows.size, problem_.head_dim}, 0);
    if (!keys_of(at.row.index).empty()) load_queries(block, queries, statistics, at.stream, rows);
    block.tiles(at.row, keys_of, [&](const TileSlot& keys) {
      block.load(Phase::load_k, k, memory_.operands().k(at.stream, keys.begin, keys.size));
      block.load(Phase::load_v, v, memory_.operands().v(at.stream, keys.begin, keys.size));
      gradient_scores(block, s, queries.q, k, problem_, visibility_, rows.begin, keys.begin);
      block.probabilities(s, statistics.lse);
      score_gradients(block, dp, s, queries.d_o, v, statistics.d, problem_);
      block.accumulate(dq, dp, k, problem_.dtype);
    });
    block.store(Phase::store, memory_.d_q(at.stream, rows.begin, rows.size), dq);
  }

  void load_queries(Block<P>& block, QueryTiles<P>& queries, Statistics<P>& statistics, Count stream,
                    const TileSlot& rows) {
    block.load(Phase::load_q, queries.q, memory_.operands().q(stream, rows.begin, rows.size));
    block.load(Phase::load_state, queries.d_o, memory_.d_o(stream, rows.begin, rows.size));
    block.load(Phase::load_state, statistics.lse, rows_of(lse_, stream, rows));
    block.load(Phase::load_state, statistics.d, rows_of(d_, stream, rows));
  }

  Gpu<P>& gpu_;
  const Problem& problem_;
  Count buffers_;
  bool deterministic_;
  GradientTiles tiles_;
  Visibility visibility_;
  GradientMemory<P> memory_;
  Tensor<P>& o_;
  Tensor<P>& lse_;
  Tensor<P>& d_;
};

struct Flash2Backward {
  static constexpr std::string_view name = "flash2_backward";
  static constexpr std::string_view idea =
      "D = rowsum(dO o O) takes the place of O; a block keeps one tile of K and V with its gradients and adds to dQ "
      "atomically, or leaves dQ to a second kernel.";
  static constexpr std::string_view source = "Dao, FlashAttention-2, 2023, Algorithm 2";
  static constexpr std::string_view options = "--variant --deterministic";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    Flash2BackwardKernels<P> kernels(gpu, point);
    if (point.options.variant == Variant::two_kernels) {
      kernels.with_two_kernels();
    } else {
      kernels.with_atomics();
    }
  }
};

}  // namespace

Algorithm flash2_backward() { return describe<Flash2Backward>(); }

}  // namespace tilemeter
