// Standard attention with scale, mask and dropout as kernels of their own.
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/textbook.hpp"

namespace tilemeter {
namespace {

/// The additive mask that the mask kernel reads: one row of zeros (padding that hides nothing), or the whole matrix of
/// 0 and -inf.
template <class P>
Tensor<P>& declare_mask(textbook::Memory<P>& memory, MaskShape shape) {
  const Problem& problem = memory.problem;
  const Count rows = shape == MaskShape::row ? 1 : problem.rows();
  Tensor<P>& mask =
      memory.gpu.tensor(TensorName::mask, memory.operands.streams(), {rows, problem.seq_k}, problem.dtype);
  if constexpr (P::has_numbers) {
    if (shape == MaskShape::full) {
      for (auto& stream : mask.streams) numerics::mask<typename P::Scalar>(stream, memory.visibility, 0, 0);
    }
  }
  return mask;
}

/// S = factor S.
template <class P>
void scale_kernel(textbook::Memory<P>& memory, double factor) {
  textbook::launch_panels(memory, "scale", textbook::nothing,
                          [&](Block<P>& block, Count stream, const TileSlot& rows, int) {
                            RegisterTile<P> s = textbook::score_panel(memory, block, rows);
                            block.load(Phase::load_state, s, memory.panel(memory.s, stream, rows));
                            block.scale(s, factor);
                            block.store(Phase::store, memory.panel(memory.s, stream, rows), s);
                          });
}

/// S = S + mask.
template <class P>
void mask_kernel(textbook::Memory<P>& memory, MaskShape shape) {
  Tensor<P>& mask = declare_mask(memory, shape);
  const auto load_row = [&](Block<P>& block, Count stream) {
    RegisterTile<P> bias = block.idealised({textbook::panel_rows, memory.problem.seq_k}, memory.problem.dtype);
    if (shape == MaskShape::row) block.load(Phase::load_state, bias, Operands<P>::whole_rows(mask, stream, 0, 1));
    return bias;
  };
  textbook::launch_panels(memory, "mask", load_row,
                          [&](Block<P>& block, Count stream, const TileSlot& rows, auto& bias) {
                            RegisterTile<P> s = textbook::score_panel(memory, block, rows);
                            block.load(Phase::load_state, s, memory.panel(memory.s, stream, rows));
                            if (shape == MaskShape::full)
                              block.load(Phase::load_state, bias, memory.panel(mask, stream, rows));
                            block.add_bias(s, bias);
                            if (shape == MaskShape::row) block.mask(s, memory.visibility, rows.begin, 0);
                            block.store(Phase::store, memory.panel(memory.s, stream, rows), s);
                          });
}

/// Pd = dropout(P), with the choices in Z.
template <class P>
Tensor<P>& dropout_kernel(textbook::Memory<P>& memory) {
  const Problem& problem = memory.problem;
  Tensor<P>& z = memory.operands.declare_rows(TensorName::Z, problem.seq_k, DType::u8);
  Tensor<P>& dropped = memory.operands.declare_rows(TensorName::Pd, problem.seq_k, problem.score_dtype);
  textbook::launch_panels(memory, "dropout", textbook::nothing,
                          [&](Block<P>& block, Count stream, const TileSlot& rows, int) {
                            RegisterTile<P> p = textbook::score_panel(memory, block, rows);
                            RegisterTile<P> keep = textbook::score_panel(memory, block, rows);
                            block.load(Phase::load_state, p, memory.panel(memory.p, stream, rows));
                            block.dropout(p, keep, stream, rows.begin);
                            block.store(Phase::store, memory.panel(z, stream, rows), keep);
                            block.store(Phase::store, memory.panel(dropped, stream, rows), p);
                          });
  return dropped;
}

struct StandardUnfused {
  static constexpr std::string_view name = "standard_unfused";
  static constexpr std::string_view idea =
      "Standard attention as frameworks ran it: scale, mask and dropout are elementwise kernels between the three.";
  static constexpr std::string_view source = "Dao et al., FlashAttention, 2022, Algorithm 0 and Figure 2";
  static constexpr std::string_view options = "--score-dtype --unfused --mask-shape";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    const Options& options = point.options;
    textbook::Memory<P> memory(gpu, point.problem);
    const double factor = score_scale(point.problem);
    textbook::score_kernel(memory, options.unfused_scale ? 1.0 : factor);
    if (options.unfused_scale) scale_kernel(memory, factor);
    if (options.unfused_mask) mask_kernel(memory, options.mask_shape);
    textbook::softmax_kernel(memory, options.unfused_mask ? textbook::MaskHere::no : textbook::MaskHere::yes);
    textbook::output_kernel(memory, options.unfused_dropout ? dropout_kernel(memory) : memory.p);
  }
};

}  // namespace

Algorithm standard_unfused() { return describe<StandardUnfused>(); }

}  // namespace tilemeter
