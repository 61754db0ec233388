// What of the traffic at the edge of the SMs goes on to device memory: an L2 of tiles, least recently used first out.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/time/piece_grid.hpp"

namespace tilemeter {

/// What an access moves between the L2 and device memory, and what of it the L2 had. Whole sectors: what a load touches
/// is hit + read - filled.
struct DramTraffic {
  Bytes read{};
  Bytes write{};
  Bytes hit{};     ///< bytes of a load that the L2 had
  Bytes filled{};  ///< the part of `read` that completes sectors which a store covers in part

  DramTraffic& operator+=(const DramTraffic& other) {
    read += other.read;
    write += other.write;
    hit += other.hit;
    filled += other.filled;
    return *this;
  }
  friend bool operator==(const DramTraffic&, const DramTraffic&) = default;
};

/// Holds pieces of tensors (PieceGrid) up to its capacity, in whole sectors of 32 B. Each access makes its pieces the
/// most recently used, first row and column first; what does not fit then leaves, least recently used first. First
/// touches miss. Written sectors stay until they leave (write-back); whole ones are not fetched. More than the capacity
/// streams through.
class L2 {
 public:
  /// `capacity` of data of its own. Throws InputError for matrices of 2^31 rows or columns and for 2^31 pieces.
  L2(const Recording& recording, Bytes capacity);

  /// What a load, a store, or an atomic addition (both) of `op` at `place` in the stream's matrices causes. `stream` of
  /// `streams` is the block's. Rows and columns outside the matrix move nothing.
  DramTraffic access(const Op& op, const RecordedArea& place, Count stream, Count streams);

  Bytes resident() const { return Bytes(resident_); }
  Bytes dirty() const { return Bytes(dirty_); }  ///< written and not yet in device memory
  Bytes write_back_all();                        ///< the same, and clean afterwards

 private:
  using Index = std::int32_t;
  static constexpr Index none = -1;

  /// Grains of a piece are bits.
  struct Piece {
    Index newer = none;
    Index older = none;
    std::int32_t bytes = 0;
    std::int32_t dirty_bytes = 0;
    std::uint64_t resident = 0;
    std::uint64_t dirty = 0;
  };
  struct Moved {
    Count read = 0;
    Count write = 0;
    Count hit = 0;
    Count filled = 0;
  };
  /// Grains of one piece that an access touches.
  struct Touch {
    const PieceGrid& grid;
    Index piece;
    std::int32_t first_row;  ///< of the piece, in its matrix
    std::int32_t col_piece;
    std::uint64_t grains;
  };

  Piece& at(Index piece) { return pieces_[static_cast<std::size_t>(piece)]; }
  void touch(const Op& op, const Touch& touch, Moved& moved);
  void load(const Touch& touch, Moved& moved);
  void store(const Touch& touch, Moved& moved);
  void make_resident(Piece& piece, std::uint64_t grains, Count bytes);
  Count partial_sectors(const Touch& touch, std::uint64_t missing) const;
  void make_newest(Index piece);
  void unlink(Index piece);
  void evict(Moved& moved);

  Count capacity_;
  Count resident_ = 0;
  Count dirty_ = 0;
  Index newest_ = none;
  Index oldest_ = none;
  std::vector<PieceGrid> grids_;
  std::vector<Piece> pieces_;
};

}  // namespace tilemeter
