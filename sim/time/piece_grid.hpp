// How the tensors of a recording are cut into the pieces that a cache holds.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/time/program.hpp"

namespace tilemeter {

inline constexpr Count sector_bytes = 32;

/// A tensor in pieces of equal shape, the last ones of a matrix smaller. A piece has up to 64 grains of `grain_rows`
/// rows and all its columns. Bytes are sectors that begin in what is asked for, so that neighbours add up to the
/// sectors of the whole: 41 and 41 rows of 4 B are 6 and 5 sectors. Matrices begin at a sector, and so do the rows of
/// matrices that are cut between columns.
struct PieceGrid {
  std::int32_t rows = 0;  ///< of a matrix
  std::int32_t cols = 0;
  Count matrices = 1;
  std::int32_t grain_rows = 1;
  std::int32_t grain_shift = 0;  ///< a piece has 2^grain_shift grains
  std::int32_t piece_cols = 1;
  std::int32_t row_pieces = 1;  ///< of a matrix
  std::int32_t col_pieces = 1;
  Count first_piece = 0;  ///< index of the tensor's first piece; then by matrix, row piece, column piece
  Count row_bytes = 0;    ///< of a matrix
  DType dtype = DType::fp16;

  Count pieces() const { return matrices * row_pieces * col_pieces; }
  /// Sectors that begin in rows first ... last - 1 of a column piece.
  Count sectors(Count first, Count last, std::int32_t col_piece) const;
  /// Bytes of a row before a column piece.
  Count byte_of_col(std::int32_t col_piece) const;
};

/// The pieces of every tensor, indexed in its order. Pieces are as large as the largest access, up to 256 KiB; their
/// grains are the greatest common divisor of where accesses begin and end, or as much coarser as 2^24 pieces a tensor
/// need. An access of a part of a grain counts for all of it.
std::vector<PieceGrid> piece_grids(const Recording& recording);

}  // namespace tilemeter
