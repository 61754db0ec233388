#include "model/piece_search.hpp"

namespace tilemeter {

Count piece_extent(const Formula& formula, const Case& point) {
  return formula.computation == Computation::softmax ? point.shapes.cols : point.shapes.length;
}

Tiling largest_piece(const TileSearch& search, const Formula& formula, const Case& point) {
  Case sized = point;
  sized.tiling.block_k = search.step();
  search.require_smallest(sized);
  sized.tiling.block_k =
      largest_multiple(search.step(), search.rounded_up(piece_extent(formula, point)), [&](Count size) {
        sized.tiling.block_k = size;
        return search.fits(sized);
      });
  return sized.tiling;
}

}  // namespace tilemeter
