// The kernels of standard attention as textbooks bill them: every operand of a GEMM is read once, a row of S stays on
// chip in the softmax, and the whole rectangle is worked on whatever the mask. They use the chip without limit.
#pragma once

#include "sim/operands.hpp"

namespace tilemeter::textbook {

/// Rows that an idealised kernel works on at a time; no figure depends on it.
inline constexpr Count panel_rows = 128;

/// Device memory of standard attention.
template <class P>
struct Memory {
  Gpu<P>& gpu;
  const Problem& problem;
  Visibility visibility;
  Operands<P> operands;
  Tensor<P>& s;
  Tensor<P>& p;
  Tensor<P>& o;

  Memory(Gpu<P>& where, const Problem& what)
      : gpu(where),
        problem(what),
        visibility(what),
        operands(where, what),
        s(operands.declare_rows(TensorName::S, what.seq_k, what.score_dtype)),
        p(operands.declare_rows(TensorName::P, what.seq_k, what.score_dtype)),
        o(operands.declare_output(what.dtype)) {}

  TileRange panels() const { return all_tiles(problem.rows(), panel_rows); }
  View<P> panel(Tensor<P>& tensor, Count stream, const TileSlot& rows) const {
    return Operands<P>::whole_rows(tensor, stream, rows.begin, rows.size);
  }
};

/// One launch: a block a stream, and `body(block, stream, rows)` for each panel of rows. `prepare(block, stream)` runs
/// first and returns what all panels share.
template <class P, class Prepare, class Body>
void launch_panels(Memory<P>& memory, std::string_view kernel, Prepare prepare, Body body) {
  if (memory.problem.rows() == 0) return;
  memory.gpu.launch(kernel, {.streams = memory.operands.streams(), .rows = {Run{}}},
                    [&](Block<P>& block, const Place& at) {
                      auto shared = prepare(block, at.stream);
                      block.tiles(memory.panels(), [&](const TileSlot& rows) { body(block, at.stream, rows, shared); });
                    });
}

/// For kernels whose panels share nothing.
inline constexpr auto nothing = [](auto&, Count) { return 0; };

/// A panel of whole rows of scores.
template <class P>
RegisterTile<P> score_panel(Memory<P>& memory, Block<P>& block, const TileSlot& rows) {
  return block.idealised({rows.size, memory.problem.seq_k}, memory.operands.accumulator());
}

/// S = factor Q K^T.
template <class P>
void score_kernel(Memory<P>& memory, double factor) {
  const Problem& problem = memory.problem;
  const auto load_keys = [&](Block<P>& block, Count stream) {
    RegisterTile<P> k = block.idealised({problem.seq_k, problem.head_dim}, problem.dtype);
    block.load(Phase::load_k, k, memory.operands.k(stream, 0, problem.seq_k));
    return k;
  };
  launch_panels(memory, "scores", load_keys, [&](Block<P>& block, Count stream, const TileSlot& rows, const auto& k) {
    RegisterTile<P> q = block.idealised({rows.size, problem.head_dim}, problem.dtype);
    RegisterTile<P> s = score_panel(memory, block, rows);
    block.load(Phase::load_q, q, memory.operands.q(stream, rows.begin, rows.size));
    block.scores(s, q, k);
    if (factor != 1.0) block.scale(s, factor);
    block.store(Phase::store, memory.panel(memory.s, stream, rows), s);
  });
}

enum class MaskHere { yes, no };

/// P = softmax(S), row by row; applies the mask first where no kernel of its own has.
template <class P>
void softmax_kernel(Memory<P>& memory, MaskHere mask) {
  launch_panels(memory, "softmax", nothing, [&](Block<P>& block, Count stream, const TileSlot& rows, int) {
    RegisterTile<P> s = score_panel(memory, block, rows);
    block.load(Phase::load_state, s, memory.panel(memory.s, stream, rows));
    if (mask == MaskHere::yes) block.mask(s, memory.visibility, rows.begin, 0);
    block.softmax(s);
    block.store(Phase::store, memory.panel(memory.p, stream, rows), s);
  });
}

/// O = P V, where the probabilities are `weights`.
template <class P>
void output_kernel(Memory<P>& memory, Tensor<P>& weights) {
  const Problem& problem = memory.problem;
  const auto load_values = [&](Block<P>& block, Count stream) {
    RegisterTile<P> v = block.idealised({problem.seq_k, problem.head_dim_v}, problem.dtype);
    block.load(Phase::load_v, v, memory.operands.v(stream, 0, problem.seq_k));
    return v;
  };
  launch_panels(memory, "output", load_values, [&](Block<P>& block, Count stream, const TileSlot& rows, const auto& v) {
    RegisterTile<P> p = score_panel(memory, block, rows);
    RegisterTile<P> o = block.idealised({rows.size, problem.head_dim_v}, memory.operands.accumulator());
    block.load(Phase::load_state, p, memory.panel(weights, stream, rows));
    block.fill(o, o.shape, 0);
    block.accumulate(o, p, v, problem.dtype);
    block.store(Phase::store, memory.panel(memory.o, stream, rows), o);
  });
}

}  // namespace tilemeter::textbook
