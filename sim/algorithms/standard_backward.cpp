// The backward pass of standard attention: P comes from device memory, dP and dS go through it.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/gradient_memory.hpp"

namespace tilemeter {
namespace {

/// Its kernels, as textbooks bill them: every operand of a GEMM is read once, rows of P and dP stay on chip, and the
/// whole rectangle is worked on whatever the mask. They use the chip without limit.
template <class P>
class StandardBackwardKernels {
 public:
  StandardBackwardKernels(Gpu<P>& gpu, const Problem& problem)
      : problem_(problem),
        visibility_(problem),
        memory_(gpu, problem, problem.dtype),
        p_(scores_tensor(TensorName::P, problem.score_dtype)),
        dp_(scores_tensor(TensorName::dP, problem.score_dtype)),
        ds_(scores_tensor(TensorName::dS, problem.score_dtype)) {}

  Tensor<P>& p() { return p_; }
  Tensor<P>& dropped_p() { return scores_tensor(TensorName::Pd, problem_.score_dtype); }

  /// dV = weights^T dO.
  void value_gradients(Tensor<P>& weights) {
    column_product("dV", weights, problem_.head_dim_v, &GradientMemory<P>::d_v,
                   [&](Count stream, Count row, Count rows) { return memory_.d_o(stream, row, rows); });
  }
  /// dK = dS^T Q.
  void key_gradients() {
    column_product("dK", ds_, problem_.head_dim, &GradientMemory<P>::d_k,
                   [&](Count stream, Count row, Count rows) { return memory_.operands().q(stream, row, rows); });
  }

  /// dP = dO V^T.
  void probability_gradients() {
    launch("dP", [&](Block<P>& block, Count stream) {
      RegisterTile<P> v = block.idealised({problem_.seq_k, problem_.head_dim_v}, problem_.dtype);
      block.load(Phase::load_v, v, memory_.operands().v(stream, 0, problem_.seq_k));
      for_panels(block, [&](const TileSlot& rows) {
        RegisterTile<P> d_o = block.idealised({rows.size, problem_.head_dim_v}, problem_.dtype);
        RegisterTile<P> dp = score_panel(block, rows);
        block.load(Phase::load_state, d_o, memory_.d_o(stream, rows.begin, rows.size));
        block.scores(dp, d_o, v);
        block.store(Phase::store, panel(dp_, stream, rows), dp);
      });
    });
  }

  /// dP = dP Z / keep probability.
  void dropout_gradients() {
    Tensor<P>& z = scores_tensor(TensorName::Z, DType::u8);
    launch("dropout", [&](Block<P>& block, Count stream) {
      for_panels(block, [&](const TileSlot& rows) {
        RegisterTile<P> dp = score_panel(block, rows);
        RegisterTile<P> kept = score_panel(block, rows);
        block.load(Phase::load_state, dp, panel(dp_, stream, rows));
        block.load(Phase::load_state, kept, panel(z, stream, rows));
        block.dropout_gradient(dp, kept);
        block.store(Phase::store, panel(dp_, stream, rows), dp);
      });
    });
  }

  /// dS = factor P (dP - rowsum(P dP)).
  void softmax_gradients(double factor) {
    launch("dS", [&](Block<P>& block, Count stream) {
      for_panels(block, [&](const TileSlot& rows) {
        RegisterTile<P> p = score_panel(block, rows);
        RegisterTile<P> dp = score_panel(block, rows);
        RegisterTile<P> sums = block.idealised({rows.size, 1}, memory_.accumulator());
        block.load(Phase::load_state, p, panel(p_, stream, rows));
        block.load(Phase::load_state, dp, panel(dp_, stream, rows));
        block.row_products(sums, p, dp);
        block.softmax_gradient(dp, p, sums);
        if (factor != 1.0) block.scale(dp, factor);
        block.store(Phase::store, panel(ds_, stream, rows), dp);
      });
    });
  }

  /// Zeros dS where the mask overwrote the score.
  void mask_gradients() {
    change_ds("mask", [&](Block<P>& block, RegisterTile<P>& ds, const TileSlot& rows) {
      block.clear_hidden(ds, visibility_, rows.begin, 0);
    });
  }
  /// dS = factor dS.
  void scale_gradients(double factor) {
    change_ds("scale", [&](Block<P>& block, RegisterTile<P>& ds, const TileSlot&) { block.scale(ds, factor); });
  }

  /// dQ = dS K.
  void query_gradients() {
    launch("dQ", [&](Block<P>& block, Count stream) {
      RegisterTile<P> k = block.idealised({problem_.seq_k, problem_.head_dim}, problem_.dtype);
      block.load(Phase::load_k, k, memory_.operands().k(stream, 0, problem_.seq_k));
      for_panels(block, [&](const TileSlot& rows) {
        RegisterTile<P> ds = score_panel(block, rows);
        RegisterTile<P> dq = block.idealised({rows.size, problem_.head_dim}, memory_.accumulator());
        block.load(Phase::load_state, ds, panel(ds_, stream, rows));
        block.fill(dq, dq.shape, 0);
        block.accumulate(dq, ds, k, problem_.dtype);
        block.store(Phase::store, memory_.d_q(stream, rows.begin, rows.size), dq);
      });
    });
  }

  void reduce() { memory_.reduce(); }

 private:
  using KeyView = View<P> (GradientMemory<P>::*)(Count, Count, Count);

  Tensor<P>& scores_tensor(TensorName name, DType dtype) {
    return memory_.operands().declare_rows(name, problem_.seq_k, dtype);
  }
  View<P> panel(Tensor<P>& tensor, Count stream, const TileSlot& rows) const {
    return Operands<P>::whole_rows(tensor, stream, rows.begin, rows.size);
  }
  RegisterTile<P> score_panel(Block<P>& block, const TileSlot& rows) const {
    return block.idealised({rows.size, problem_.seq_k}, memory_.accumulator());
  }

  /// One block a stream.
  template <class Body>
  void launch(std::string_view kernel, Body body) {
    memory_.gpu().launch(kernel, {.streams = memory_.streams(), .rows = {Run{}}},
                         [&](Block<P>& block, const Place& at) { body(block, at.stream); });
  }
  template <class Body>
  void for_panels(Block<P>& block, Body body) {
    block.tiles(all_tiles(problem_.rows(), elementwise_rows), body);
  }
  template <class Change>
  void change_ds(std::string_view kernel, Change change) {
    launch(kernel, [&](Block<P>& block, Count stream) {
      for_panels(block, [&](const TileSlot& rows) {
        RegisterTile<P> ds = score_panel(block, rows);
        block.load(Phase::load_state, ds, panel(ds_, stream, rows));
        change(block, ds, rows);
        block.store(Phase::store, panel(ds_, stream, rows), ds);
      });
    });
  }

  /// The sum of left^T right over panels of rows: one row of the result a key.
  template <class RightOf>
  void column_product(std::string_view kernel, Tensor<P>& left, Count cols, KeyView result_of, RightOf right_of) {
    launch(kernel, [&](Block<P>& block, Count stream) {
      RegisterTile<P> result = block.idealised({problem_.seq_k, cols}, memory_.accumulator());
      block.fill(result, result.shape, 0);
      for_panels(block, [&](const TileSlot& rows) {
        RegisterTile<P> weights = score_panel(block, rows);
        RegisterTile<P> right = block.idealised({rows.size, cols}, problem_.dtype);
        block.load(Phase::load_state, weights, panel(left, stream, rows));
        block.load(Phase::load_q, right, right_of(stream, rows.begin, rows.size));
        block.accumulate_transposed(result, weights, right, problem_.dtype);
      });
      block.store(Phase::store, (memory_.*result_of)(stream, 0, problem_.seq_k), result);
    });
  }

  const Problem& problem_;
  Visibility visibility_;
  GradientMemory<P> memory_;
  Tensor<P>& p_;
  Tensor<P>& dp_;
  Tensor<P>& ds_;
};

struct StandardBackward {
  static constexpr std::string_view name = "standard_backward";
  static constexpr std::string_view idea =
      "Five kernels, dV, dP, dS, dQ and dK, that read the stored P and pass dP and dS through device memory.";
  static constexpr std::string_view source = "Dao et al., FlashAttention, 2022, Algorithm 3";
  static constexpr std::string_view options = "--score-dtype --unfused";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    const UnfusedGradients& unfused = point.options.unfused_gradients;
    const double factor = score_scale(point.problem);
    StandardBackwardKernels<P> kernels(gpu, point.problem);
    kernels.value_gradients(unfused.dropout ? kernels.dropped_p() : kernels.p());
    kernels.probability_gradients();
    if (unfused.dropout) kernels.dropout_gradients();
    kernels.softmax_gradients(unfused.scale ? 1.0 : factor);
    if (unfused.mask) kernels.mask_gradients();
    if (unfused.scale) kernels.scale_gradients(factor);
    kernels.query_gradients();
    kernels.key_gradients();
    kernels.reduce();
  }
};

}  // namespace

Algorithm standard_backward() { return describe<StandardBackward>(); }

}  // namespace tilemeter
