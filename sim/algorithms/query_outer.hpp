// What the algorithms share that keep a tile of Q on chip and stream K and V past it.
#pragma once

#include "sim/algorithms/flash_tiles.hpp"

namespace tilemeter {

/// The device memory of such an algorithm, the tiles that it visits, and how a query tile ends: O and LSE are written
/// once. Refers to the point, which must outlive it.
template <class P>
struct QueryOuter {
  const Case& point;
  const Problem& problem;
  VisitedTiles visited;
  Visibility visibility;
  Operands<P> memory;
  Tensor<P>& output;
  Tensor<P>& lse;

  QueryOuter(Gpu<P>& gpu, const Case& what)
      : point(what),
        problem(what.problem),
        visited(problem, what.tiling),
        visibility(problem),
        memory(gpu, problem),
        output(memory.declare_output()),
        lse(memory.declare_rows(TensorName::LSE, 1, problem.stat_dtype)) {}

  /// Keys of a full tile, clipped to the problem.
  Count keys() const { return std::min(point.tiling.block_k, problem.seq_k); }

  FlashTiles<P> make_tiles(Block<P>& block) const {
    const FlashShape shape = {.rows = visited.queries().size, .keys = keys()};
    return FlashTiles<P>(block, problem, point.tiling.stages, shape, memory.accumulator());
  }

  /// The rows of the query tile that begins at `row` against a K/V tile on chip that begins at `key`.
  void attend(Block<P>& block, FlashTiles<P>& tiles, const SharedTile<P>& k, const SharedTile<P>& v, Count row,
              Count key, SoftmaxRule rule = SoftmaxRule::exact) {
    masked_scores(block, tiles, k, problem, visibility, row, key);
    block.online_softmax(tiles.s, tiles.m, tiles.l, tiles.factors, rule);
    block.rescale_rows(tiles.o, tiles.factors);
    block.accumulate(tiles.o, tiles.s, v, problem.dtype);
    block.visit_tile();
  }

  /// O and LSE of the stream's rows from `row` on.
  void finish(Block<P>& block, RegisterTile<P>& o, RegisterTile<P>& m, const RegisterTile<P>& l, Count stream,
              Count row, SoftmaxRule rule = SoftmaxRule::exact) {
    const Count rows = o.shape.rows;
    block.divide_rows(o, l, rule);
    block.log_sum_exp(m, l, empty_lse_of(point.options));
    block.store(Phase::store, memory.whole_rows(output, stream, row, rows), o);
    block.store(Phase::store, memory.whole_rows(lse, stream, row, rows), m);
  }
};

}  // namespace tilemeter
