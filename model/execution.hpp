// How a kernel executes the blocks of an algorithm: what its bill does not say, and its time depends on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/device.hpp"
#include "model/problem.hpp"

namespace tilemeter {

/// What multiplies matrices: scalar multiply-adds, a warp's mma.sync, or a warpgroup's wgmma.
enum class MatrixPath { scalar, mma, wgmma };
std::string_view name_of(MatrixPath path);

/// Which operations of a block wait for each other: each for the one before, or only for the tiles that it needs and,
/// in program order, for its unit.
enum class Overlap { serial, pipelined };
std::string_view name_of(Overlap overlap);

/// How blocks get to SMs: the next block of the grid goes where one ends; resident blocks take work b, b + resident,
/// ... that was dealt beforehand, or the same with every second round dealt backwards; or they take the next piece of
/// work from a counter in memory.
enum class Scheduling { grid, static_persistent, forth_and_back, counter };
std::string_view name_of(Scheduling scheduling);

/// Whether work is dealt beforehand.
inline bool is_dealt(Scheduling scheduling) {
  return scheduling == Scheduling::static_persistent || scheduling == Scheduling::forth_and_back;
}
/// The resident block, of `residents`, that is dealt piece `place`.
inline Count slot_dealt(Scheduling scheduling, Count place, Count residents) {
  const bool backwards = scheduling == Scheduling::forth_and_back && place / residents % 2 == 1;
  return backwards ? residents - 1 - place % residents : place % residents;
}
/// The piece of work that a resident block of `residents` was dealt behind piece `place`. Forth and back: of four
/// blocks the first has pieces 0, 7, 8, 15, ...
inline Count next_dealt(Scheduling scheduling, Count place, Count residents) {
  if (scheduling != Scheduling::forth_and_back) return place + residents;
  return (place / residents + 2) * residents - 1 - place % residents;
}

/// Which blocks of a stream come first.
enum class RowOrder { ascending, descending, longest_first };
std::string_view name_of(RowOrder order);

/// Which index runs fastest over the blocks of a launch: the blocks of a stream, or the streams.
enum class FastestIndex { blocks, streams };
std::string_view name_of(FastestIndex index);

/// What a tile at the end of a tensor moves: its rows that exist, or whole tiles.
enum class Tails { predicated, padded };
std::string_view name_of(Tails tails);

/// Where a streaming pass looks for the maximum of a row: in every tile, or only in tiles that a mask cuts and at the
/// first and last of a stream.
enum class Maxima { all, masked };
std::string_view name_of(Maxima maxima);

/// Whether groups of warps that share a block take turns with their products, each while the others work on scores
/// (ping-pong), or ask for the tensor unit as they come.
enum class Turns { taken, free };
std::string_view name_of(Turns turns);

struct Execution {
  MatrixPath matrix = MatrixPath::mma;
  Overlap overlap = Overlap::pipelined;
  Scheduling scheduling = Scheduling::grid;
  RowOrder rows = RowOrder::ascending;
  FastestIndex fastest = FastestIndex::blocks;
  Tails tails = Tails::predicated;
  Maxima maxima = Maxima::all;
  Turns turns = Turns::taken;
  Count threads = 128;                   ///< of a block, producer warps included
  Count math_warps = 4;                  ///< that share the rows of a tile
  std::optional<Count> blocks_per_sm{};  ///< resident blocks; absent: by occupancy
  std::optional<Hertz> clock{};          ///< of the SMs while it runs; absent: the device's for the matrix path
  std::string kernel{};                  ///< whose fitted figures hold, where the device has some; empty: none
  friend bool operator==(const Execution&, const Execution&) = default;
};

/// What the kernel of `algorithm` is taken to do on `device` where nothing else is said: flash3 by wgmma with 128
/// threads of producers beside its groups, persistent, longest blocks first; everything else as a grid of blocks, by
/// mma.sync on tensor cores where the device multiplies the type there.
Execution default_execution(std::string_view algorithm, const Case& point, const Device& device);

}  // namespace tilemeter
