// What the FlashAttention backward passes hold on chip, and the steps that they share.
#pragma once

#include "sim/algorithms/flash_tiles.hpp"
#include "sim/algorithms/gradient_memory.hpp"

namespace tilemeter {

/// The key tiles of a stream, those that no query tile visits included, and who visits them.
class GradientTiles {
 public:
  GradientTiles(const Problem& problem, const Tiling& tiling)
      : visited_(problem, tiling), keys_(all_tiles(problem.seq_k, tiling.block_k)) {}

  const VisitedTiles& visited() const { return visited_; }
  const TileRange& queries() const { return visited_.queries(); }
  const TileRange& keys() const { return keys_; }
  FlashShape shape() const { return {.rows = queries().size, .keys = std::min(keys_.size, keys_.extent)}; }

  /// Query tiles that visit key tile `j`; none for those past the end of a top-left causal mask.
  TileRange queries_of(Count j) const {
    return j < visited_.key_tiles() ? visited_.queries_of(j) : TileRange{.extent = queries().extent};
  }

  /// Key tiles, grouped into runs for loops over queries_of.
  std::vector<Run> key_runs() const {
    std::vector<Run> runs = visited_.key_runs();
    const Count reached = visited_.key_tiles();
    const Count full = keys_.full_length();
    if (reached < full) runs.push_back({.first = reached, .count = full - reached});
    if (reached < keys_.last && full < keys_.last) runs.push_back({.first = full});
    return runs;
  }

 private:
  VisitedTiles visited_;
  TileRange keys_;
};

/// dK and dV of the key tile at hand, and the scores of a query tile with it. dP becomes dS.
template <class P>
struct KeyGradients {
  SharedTile<P> k;
  SharedTile<P> v;
  RegisterTile<P> dk;
  RegisterTile<P> dv;
  RegisterTile<P> s;
  RegisterTile<P> dp;

  KeyGradients(Block<P>& block, const Problem& problem, FlashShape shape, DType accumulator)
      : k(block.shared("K", {shape.keys, problem.head_dim}, problem.dtype)),
        v(block.shared("V", {shape.keys, problem.head_dim_v}, problem.dtype)),
        dk(block.registers("dK", {shape.keys, problem.head_dim}, accumulator)),
        dv(block.registers("dV", {shape.keys, problem.head_dim_v}, accumulator)),
        s(block.registers("S", {shape.rows, shape.keys}, accumulator)),
        dp(block.registers("dP", {shape.rows, shape.keys}, accumulator)) {}

  void clear(Block<P>& block, Count keys) {
    block.fill(dk, {keys, dk.allocated.cols}, 0);
    block.fill(dv, {keys, dv.allocated.cols}, 0);
  }
  void load(Block<P>& block, GradientMemory<P>& memory, Count stream, const TileSlot& keys) {
    block.load(Phase::load_k, k, memory.operands().k(stream, keys.begin, keys.size));
    block.load(Phase::load_v, v, memory.operands().v(stream, keys.begin, keys.size));
  }
  void store(Block<P>& block, GradientMemory<P>& memory, Count stream, const TileSlot& keys) {
    block.store(Phase::store, memory.d_k(stream, keys.begin, keys.size), dk);
    block.store(Phase::store, memory.d_v(stream, keys.begin, keys.size), dv);
  }
  /// dV += P^T dO, dK += dS^T Q.
  void accumulate(Block<P>& block, const SharedTile<P>& q, const SharedTile<P>& d_o, DType operand) {
    block.accumulate_transposed(dv, s, d_o, operand);
    block.accumulate_transposed(dk, dp, q, operand);
  }
};

/// s = scale q k^T with the mask applied, for the query rows from `row` and the keys from `key` on.
template <class P>
void gradient_scores(Block<P>& block, RegisterTile<P>& s, const SharedTile<P>& q, const SharedTile<P>& k,
                     const Problem& problem, const Visibility& visibility, Count row, Count key) {
  block.scores(s, q, k);
  block.scale(s, score_scale(problem));
  block.mask(s, visibility, row, key);
}

/// dp = scale p (d_o v^T - d): the gradient of q k^T.
template <class P>
void score_gradients(Block<P>& block, RegisterTile<P>& dp, const RegisterTile<P>& p, const SharedTile<P>& d_o,
                     const SharedTile<P>& v, const RegisterTile<P>& d, const Problem& problem) {
  block.scores(dp, d_o, v);
  block.softmax_gradient(dp, p, d);
  block.scale(dp, score_scale(problem));
}

}  // namespace tilemeter
