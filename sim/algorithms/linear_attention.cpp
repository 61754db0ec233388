// Attention without a softmax: (Q K^T) V, or Q (K^T V) with a d x dv state. The feature map is applied already.
#include "sim/algorithms/describe.hpp"
#include "sim/operands.hpp"

namespace tilemeter {
namespace {

template <class P>
class LinearAttentionKernels {
 public:
  LinearAttentionKernels(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        problem_(point.problem),
        visibility_(problem_),
        memory_(gpu, problem_),
        output_(memory_.declare_output()),
        queries_(all_tiles(problem_.rows(), point.options.chunk)),
        keys_(all_tiles(problem_.seq_k, point.options.chunk)),
        key_rows_(std::min(point.options.chunk, problem_.seq_k)) {}

  /// S = Q K^T and O = S V, every operand of a product read once.
  void through_scores() {
    Tensor<P>& s = memory_.declare_rows(TensorName::S, problem_.seq_k, problem_.score_dtype);
    launch("scores", [&](Block<P>& block, Count stream) {
      RegisterTile<P> k = block.idealised({problem_.seq_k, problem_.head_dim}, problem_.dtype);
      block.load(Phase::load_k, k, memory_.k(stream, 0, problem_.seq_k));
      block.tiles(queries_, [&](const TileSlot& rows) {
        RegisterTile<P> q = block.idealised({rows.size, problem_.head_dim}, problem_.dtype);
        RegisterTile<P> panel = block.idealised({rows.size, problem_.seq_k}, memory_.accumulator());
        block.load(Phase::load_q, q, memory_.q(stream, rows.begin, rows.size));
        block.scores(panel, q, k);
        block.clear_hidden(panel, visibility_, rows.begin, 0);
        block.store(Phase::store, memory_.whole_rows(s, stream, rows.begin, rows.size), panel);
      });
    });
    launch("output", [&](Block<P>& block, Count stream) {
      RegisterTile<P> v = block.idealised({problem_.seq_k, problem_.head_dim_v}, problem_.dtype);
      block.load(Phase::load_v, v, memory_.v(stream, 0, problem_.seq_k));
      block.tiles(queries_, [&](const TileSlot& rows) {
        RegisterTile<P> panel = block.idealised({rows.size, problem_.seq_k}, problem_.dtype);
        RegisterTile<P> o = block.idealised({rows.size, problem_.head_dim_v}, memory_.accumulator());
        block.load(Phase::load_state, panel, memory_.whole_rows(s, stream, rows.begin, rows.size));
        block.fill(o, o.shape, 0);
        block.accumulate(o, panel, v, problem_.dtype);
        store_output(block, stream, rows, o);
      });
    });
  }

  /// KV = K^T V and O = Q KV in one kernel.
  void with_state() {
    launch("linear_attention", [&](Block<P>& block, Count stream) {
      Tiles tiles(block, *this);
      sum_up(block, tiles.k, tiles.v, tiles.state, stream);
      block.tiles(queries_, [&](const TileSlot& rows) {
        apply(block, tiles.q, tiles.o, tiles.state, stream, rows);
        store_output(block, stream, rows, tiles.o);
      });
    });
  }

  /// KV = K^T V to memory, and O = Q KV from there.
  void with_state_in_memory() {
    Tensor<P>& kv = gpu_.tensor(TensorName::KV, memory_.streams(), state_shape(), problem_.stat_dtype);
    launch("state", [&](Block<P>& block, Count stream) {
      SharedTile<P> k = key_tile(block, "K", problem_.head_dim);
      SharedTile<P> v = key_tile(block, "V", problem_.head_dim_v);
      RegisterTile<P> state = state_tile(block);
      sum_up(block, k, v, state, stream);
      block.store(Phase::store, memory_.whole_rows(kv, stream, 0, problem_.head_dim), state);
    });
    launch("output", [&](Block<P>& block, Count stream) {
      SharedTile<P> q = block.shared("Q", {queries_.size, problem_.head_dim}, problem_.dtype);
      RegisterTile<P> o = output_tile(block);
      RegisterTile<P> state = state_tile(block);
      block.load(Phase::load_state, state, memory_.whole_rows(kv, stream, 0, problem_.head_dim));
      block.tiles(queries_, [&](const TileSlot& rows) {
        apply(block, q, o, state, stream, rows);
        store_output(block, stream, rows, o);
      });
    });
  }

  /// Chunk by chunk: what lies before the chunk through the state, what lies in it through its scores.
  void in_causal_chunks() {
    launch("linear_attention", [&](Block<P>& block, Count stream) {
      Tiles tiles(block, *this);
      RegisterTile<P> s = block.registers("S", {queries_.size, key_rows_}, memory_.accumulator());
      block.fill(tiles.state, state_shape(), 0);
      block.tiles(queries_, [&](const TileSlot& rows) {
        apply(block, tiles.q, tiles.o, tiles.state, stream, rows);
        load_keys(block, tiles.k, tiles.v, stream, rows);
        block.scores(s, tiles.q, tiles.k);
        block.clear_hidden(s, visibility_, rows.begin, rows.begin);
        block.accumulate(tiles.o, s, tiles.v, problem_.dtype);
        block.accumulate_transposed(tiles.state, tiles.k, tiles.v, problem_.dtype);
        store_output(block, stream, rows, tiles.o);
      });
    });
  }

 private:
  /// Chunks of the operands and of the output, and the state.
  struct Tiles {
    SharedTile<P> q;
    SharedTile<P> k;
    SharedTile<P> v;
    RegisterTile<P> o;
    RegisterTile<P> state;
    Tiles(Block<P>& block, const LinearAttentionKernels& kernels)
        : q(block.shared("Q", {kernels.queries_.size, kernels.problem_.head_dim}, kernels.problem_.dtype)),
          k(kernels.key_tile(block, "K", kernels.problem_.head_dim)),
          v(kernels.key_tile(block, "V", kernels.problem_.head_dim_v)),
          o(kernels.output_tile(block)),
          state(kernels.state_tile(block)) {}
  };

  template <class Body>
  void launch(std::string_view kernel, Body body) {
    gpu_.launch(kernel, {.streams = memory_.streams(), .rows = {Run{}}},
                [&](Block<P>& block, const Place& at) { body(block, at.stream); });
  }

  Shape state_shape() const { return {problem_.head_dim, problem_.head_dim_v}; }
  SharedTile<P> key_tile(Block<P>& block, const char* name, Count width) const {
    return block.shared(name, {key_rows_, width}, problem_.dtype);
  }
  RegisterTile<P> output_tile(Block<P>& block) const {
    return block.registers("O", {queries_.size, problem_.head_dim_v}, memory_.accumulator());
  }
  RegisterTile<P> state_tile(Block<P>& block) const {
    return block.registers("KV", state_shape(), memory_.accumulator());
  }

  void load_keys(Block<P>& block, SharedTile<P>& k, SharedTile<P>& v, Count stream, const TileSlot& keys) {
    block.load(Phase::load_k, k, memory_.k(stream, keys.begin, keys.size));
    block.load(Phase::load_v, v, memory_.v(stream, keys.begin, keys.size));
  }
  /// state = K^T V over all keys.
  void sum_up(Block<P>& block, SharedTile<P>& k, SharedTile<P>& v, RegisterTile<P>& state, Count stream) {
    block.fill(state, state_shape(), 0);
    block.tiles(keys_, [&](const TileSlot& keys) {
      load_keys(block, k, v, stream, keys);
      block.accumulate_transposed(state, k, v, problem_.dtype);
    });
  }
  /// o = q state for the queries of a chunk.
  void apply(Block<P>& block, SharedTile<P>& q, RegisterTile<P>& o, const RegisterTile<P>& state, Count stream,
             const TileSlot& rows) {
    block.load(Phase::load_q, q, memory_.q(stream, rows.begin, rows.size));
    block.fill(o, {rows.size, problem_.head_dim_v}, 0);
    block.accumulate(o, q, state, problem_.dtype);
  }
  void store_output(Block<P>& block, Count stream, const TileSlot& rows, const RegisterTile<P>& o) {
    block.store(Phase::store, memory_.whole_rows(output_, stream, rows.begin, rows.size), o);
  }

  Gpu<P>& gpu_;
  const Problem& problem_;
  Visibility visibility_;
  Operands<P> memory_;
  Tensor<P>& output_;
  TileRange queries_;
  TileRange keys_;
  Count key_rows_;
};

struct LinearAttention {
  static constexpr std::string_view name = "linear_attention";
  static constexpr std::string_view idea =
      "Without a softmax the products may be taken in either order: through N x N scores, or through a d x dv state.";
  static constexpr std::string_view source =
      "Katharopoulos et al., Transformers are RNNs, 2020; causal chunks: Hua et al., Transformer Quality in Linear "
      "Time, 2022";
  static constexpr std::string_view options = "--variant --chunk --score-dtype";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    if (point.problem.rows() == 0) return;
    LinearAttentionKernels<P> kernels(gpu, point);
    switch (*point.options.variant) {
      case Variant::scores:
        return kernels.through_scores();
      case Variant::state_memory:
        return kernels.with_state_in_memory();
      case Variant::causal_chunks:
        return kernels.in_causal_chunks();
      default:
        return kernels.with_state();
    }
  }
};

}  // namespace

Algorithm linear_attention() { return describe<LinearAttention>(); }

}  // namespace tilemeter
