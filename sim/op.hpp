// What the verbs report, and who listens.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "model/on_chip.hpp"
#include "model/tensor.hpp"
#include "model/work.hpp"
#include "traces/phase.hpp"

namespace tilemeter {

/// Identifies a tile within its block; `no_tile` where an op has no such operand.
using TileId = int;
inline constexpr TileId no_tile = -1;

/// The part of an SM that an op keeps busy.
enum class Unit { memory, tensor, alu };

/// A rectangle of one matrix of a tensor.
struct Area {
  Count row = 0;
  Count col = 0;
  Count rows = 0;
  Count cols = 0;
  friend bool operator==(const Area&, const Area&) = default;
};

/// An m x k by k x n matrix product, and where its operands lie.
struct Product {
  Count m = 0;
  Count n = 0;
  Count k = 0;
  Space a = Space::shared;
  Space b = Space::shared;
  DType type = DType::fp16;  ///< of the operands
  friend bool operator==(const Product&, const Product&) = default;
};

/// Operations on single numbers, exponentials apart: additions and multiplications, alone or fused; maxima and
/// conversions.
struct Scalars {
  Count fma = 0;
  Count alu = 0;
  friend bool operator==(const Scalars&, const Scalars&) = default;
};

/// One verb applied once: what it costs, which tiles it reads and which one it writes.
struct Op {
  Phase phase = Phase::transform;
  Unit unit = Unit::alu;
  std::optional<TensorName> tensor{};  ///< the tensor in device memory that a load or store touches
  Traffic traffic{};                   ///< across the edge of the SM
  Count matrix = 0;                    ///< of that tensor, counted over batch and heads
  Area area{};                         ///< of that matrix
  Flops matmul_flops{};
  Exponentials exp{};
  Product product{};  ///< empty where nothing is multiplied
  Scalars scalars{};
  Count tiles = 0;  ///< visited tiles: 1 for the op that marks one
  std::array<TileId, 4> reads = {no_tile, no_tile, no_tile, no_tile};
  std::array<TileId, 4> writes = {no_tile, no_tile, no_tile, no_tile};
};

/// A block, or `copies` equal ones, of a launch of `grid_blocks` blocks. Their places in the launch order are first,
/// first + stride, ...
struct BlockInfo {
  std::string_view kernel;
  Count grid_blocks = 1;
  Count first = 0;
  Count stride = 1;
  Count copies = 1;
};

/// A tensor in device memory: a matrix of rows x cols for each of its streams.
struct TensorInfo {
  TensorName name = TensorName::Q;
  Count streams = 1;
  Count rows = 0;
  Count cols = 0;
  DType dtype = DType::fp16;
};

/// A launch of `streams` times the blocks of one stream.
struct LaunchInfo {
  std::string_view kernel;
  Count streams = 1;
  Count blocks_per_stream = 1;
};

/// How much of what is equal a sink accepts as one report with a count: nothing; blocks that differ in their stream
/// only and the equal tiles of a loop; blocks that differ in their stream only, with the loops announced; or all of it,
/// equal row blocks included.
enum class Fold { none, grid, loops, all };

/// Something that consumes ops.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual Fold fold() const = 0;
  virtual void begin_block(const BlockInfo& block) = 0;
  /// `times` counts the copies of the block too.
  virtual void op(const Op& op, Count times) = 0;
  /// `tiles` is what the block held on chip.
  virtual void end_block(const std::vector<OnChipTile>& tiles) = 0;

  // What only a sink wants to know that keeps the order of things.
  virtual void tensor(const TensorInfo&) {}
  virtual void begin_launch(const LaunchInfo&) {}
  /// The tile is one of `stages` that a loop uses in turn.
  virtual void ring(TileId, Count /*stages*/) {}
  /// A loop whose iterations follow, each behind a call of `iteration`. With Fold::loops a long loop shows its first
  /// two.
  virtual void begin_loop() {}
  virtual void iteration() {}
  virtual void end_loop(Count /*times*/) {}
};

}  // namespace tilemeter
