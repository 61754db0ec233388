#include "sim/time/l2.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace tilemeter {
namespace {

/// floor(a / b) for 0 <= a < 2^31, b > 0.
std::int32_t divided(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
}

/// Bits first ... last - 1, 0 <= first < last <= 64.
std::uint64_t bits(std::int32_t first, std::int32_t last) {
  return (~std::uint64_t{0} >> (64 - last + first)) << first;
}

std::int32_t clipped(Count value, std::int32_t most) {
  return static_cast<std::int32_t>(std::clamp<Count>(value, 0, most));
}

/// Calls body(first row, row behind the last) for every run of set bits, one a grain of a piece from `first_row` on.
template <class Body>
void for_runs(const PieceGrid& grid, std::int32_t first_row, std::uint64_t grains, Body body) {
  while (grains != 0) {
    const int first = std::countr_zero(grains);
    const int count = std::countr_one(grains >> first);
    const Count begin = first_row + Count{first} * grid.grain_rows;
    body(begin, std::min<Count>(grid.rows, begin + Count{count} * grid.grain_rows));
    grains &= ~bits(first, first + count);
  }
}

Count bytes_in(const PieceGrid& grid, std::int32_t first_row, std::int32_t col_piece, std::uint64_t grains) {
  Count sectors = 0;
  for_runs(grid, first_row, grains, [&](Count first, Count last) { sectors += grid.sectors(first, last, col_piece); });
  return sectors * sector_bytes;
}

}  // namespace

L2::L2(const Recording& recording, Bytes capacity) : capacity_(capacity.value()), grids_(piece_grids(recording)) {
  const Count pieces = grids_.empty() ? 0 : grids_.back().first_piece + grids_.back().pieces();
  if (pieces > std::numeric_limits<Index>::max())
    throw InputError("the tensors have " + std::to_string(pieces) + " tiles, more than the " +
                     std::to_string(std::numeric_limits<Index>::max()) +
                     " that the L2 is simulated with: expected less --batch, --heads or --seq, or larger tiles");
  pieces_.resize(static_cast<std::size_t>(pieces));
}

DramTraffic L2::access(const Op& op, const RecordedArea& place, Count stream, Count streams) {
  const PieceGrid& grid = grids_[static_cast<std::size_t>(place.tensor)];
  const std::int32_t row = clipped(place.area.row, grid.rows);
  const std::int32_t row_end = clipped(place.area.row + place.area.rows, grid.rows);
  const std::int32_t col = clipped(place.area.col, grid.cols);
  const std::int32_t col_end = clipped(place.area.col + place.area.cols, grid.cols);
  if (row >= row_end || col >= col_end) return {};
  const Count first_matrix = grid.matrices == streams ? stream : stream * grid.matrices / streams;
  const Count matrix = first_matrix + place.matrix;
  assert(matrix < grid.matrices);

  const std::int32_t grain = divided(row, grid.grain_rows);
  const std::int32_t grain_end = divided(row_end - 1, grid.grain_rows) + 1;
  const std::int32_t col_piece = grid.col_pieces == 1 ? 0 : divided(col, grid.piece_cols);
  const std::int32_t col_piece_end = grid.col_pieces == 1 ? 1 : divided(col_end - 1, grid.piece_cols) + 1;
  Moved moved;
  for (std::int32_t r = grain >> grid.grain_shift; r <= (grain_end - 1) >> grid.grain_shift; ++r) {
    const std::int32_t base = r << grid.grain_shift;
    const std::uint64_t grains =
        bits(std::max(grain - base, 0), std::min(grain_end - base, std::int32_t{1} << grid.grain_shift));
    const Count first = grid.first_piece + (matrix * grid.row_pieces + r) * grid.col_pieces;
    for (std::int32_t c = col_piece; c < col_piece_end; ++c) {
      touch(op, {grid, static_cast<Index>(first + c), base * grid.grain_rows, c, grains}, moved);
    }
  }
  return {Bytes(moved.read), Bytes(moved.write), Bytes(moved.hit), Bytes(moved.filled)};
}

void L2::touch(const Op& op, const Touch& touch, Moved& moved) {
  make_newest(touch.piece);
  if (op.traffic.read_bytes.value() > 0) load(touch, moved);
  if (op.traffic.write_bytes.value() > 0) store(touch, moved);
  while (resident_ > capacity_) evict(moved);
}

void L2::load(const Touch& touch, Moved& moved) {
  Piece& piece = at(touch.piece);
  if (piece.resident == touch.grains) {
    moved.hit += piece.bytes;
    return;
  }
  const Count bytes = bytes_in(touch.grid, touch.first_row, touch.col_piece, touch.grains);
  const std::uint64_t missing = touch.grains & ~piece.resident;
  if (missing == 0) {
    moved.hit += bytes;
    return;
  }
  const Count missed =
      missing == touch.grains ? bytes : bytes_in(touch.grid, touch.first_row, touch.col_piece, missing);
  moved.hit += bytes - missed;
  moved.read += missed;
  make_resident(piece, missing, missed);
}

void L2::store(const Touch& touch, Moved& moved) {
  Piece& piece = at(touch.piece);
  if (const std::uint64_t missing = touch.grains & ~piece.resident; missing != 0) {
    const Count filled = partial_sectors(touch, missing) * sector_bytes;
    moved.read += filled;
    moved.filled += filled;
    make_resident(piece, missing, bytes_in(touch.grid, touch.first_row, touch.col_piece, missing));
  }
  if (const std::uint64_t clean = touch.grains & ~piece.dirty; clean != 0) {
    const Count bytes = bytes_in(touch.grid, touch.first_row, touch.col_piece, clean);
    piece.dirty |= clean;
    piece.dirty_bytes += static_cast<std::int32_t>(bytes);
    dirty_ += bytes;
  }
}

void L2::make_resident(Piece& piece, std::uint64_t grains, Count bytes) {
  piece.resident |= grains;
  piece.bytes += static_cast<std::int32_t>(bytes);
  resident_ += bytes;
}

/// Sectors that a store of the grains `missing` covers in part, and that neither lie behind the matrix nor belong to a
/// neighbour that is resident.
Count L2::partial_sectors(const Touch& touch, std::uint64_t missing) const {
  const PieceGrid& grid = touch.grid;
  Count partial = 0;
  for_runs(grid, touch.first_row, missing, [&](Count first, Count last) {
    if (grid.col_pieces > 1) {
      const bool begins_inside = grid.byte_of_col(touch.col_piece) % sector_bytes != 0;
      const bool ends_inside =
          touch.col_piece + 1 < grid.col_pieces && grid.byte_of_col(touch.col_piece + 1) % sector_bytes != 0;
      partial += (last - first) * (Count{begins_inside} + Count{ends_inside});
      return;
    }
    if (last < grid.rows && last * grid.row_bytes % sector_bytes != 0) ++partial;
    if (first * grid.row_bytes % sector_bytes == 0) return;
    const bool within = first > touch.first_row;
    const auto before = static_cast<std::size_t>(within ? touch.piece : touch.piece - 1);
    const Count grain = within ? (first - touch.first_row) / grid.grain_rows - 1 : (Count{1} << grid.grain_shift) - 1;
    if ((pieces_[before].resident >> grain & 1) == 0) ++partial;
  });
  return partial;
}

void L2::make_newest(Index index) {
  if (index == newest_) return;
  Piece& piece = at(index);
  if (piece.newer != none) unlink(index);
  piece.older = newest_;
  piece.newer = none;
  if (newest_ != none) at(newest_).newer = index;
  newest_ = index;
  if (oldest_ == none) oldest_ = index;
}

void L2::unlink(Index index) {
  const Piece& piece = at(index);
  (piece.newer == none ? newest_ : at(piece.newer).older) = piece.older;
  (piece.older == none ? oldest_ : at(piece.older).newer) = piece.newer;
}

void L2::evict(Moved& moved) {
  const Index index = oldest_;
  Piece& piece = at(index);
  moved.write += piece.dirty_bytes;
  dirty_ -= piece.dirty_bytes;
  resident_ -= piece.bytes;
  unlink(index);
  piece = {};
}

Bytes L2::write_back_all() {
  const Bytes written(dirty_);
  for (Index index = newest_; index != none; index = at(index).older) {
    at(index).dirty = 0;
    at(index).dirty_bytes = 0;
  }
  dirty_ = 0;
  return written;
}

}  // namespace tilemeter
