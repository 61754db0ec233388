// A matrix at one memory level, with numbers or without.
#pragma once

#include <stdexcept>
#include <vector>

#include "model/on_chip.hpp"
#include "model/tensor.hpp"
#include "sim/numerics.hpp"
#include "sim/op.hpp"

namespace tilemeter {

struct Shape {
  Count rows = 0;
  Count cols = 0;
  Elements elements() const { return Elements(checked::multiply(rows, cols)); }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Payload of a tile that holds only its shape.
struct Ghost {
  static constexpr bool has_numbers = false;
  struct Storage {};
};

/// Payload of a tile that holds numbers. Scalar is the type of accumulators: float, or double for fp64 operands.
template <class S>
struct Real {
  static constexpr bool has_numbers = true;
  using Scalar = S;
  using Storage = numerics::Numbers<S>;
};

/// A tile on chip. `shape` is the valid part; it never exceeds what was allocated.
template <class P, Space Level>
struct Tile {
  static_assert(Level != Space::global, "device memory is reached through load and store");
  Shape allocated{};
  Shape shape{};
  DType dtype = DType::fp32;
  TileId id = no_tile;
  [[no_unique_address]] typename P::Storage data;

  void resize(Shape valid) {
    if (valid.rows > allocated.rows || valid.cols > allocated.cols) throw std::logic_error("a tile grew past its room");
    shape = valid;
  }
  /// The valid numbers.
  auto numbers() { return data.topLeftCorner(shape.rows, shape.cols); }
  auto numbers() const { return data.topLeftCorner(shape.rows, shape.cols); }
};

template <class P>
using SharedTile = Tile<P, Space::shared>;  ///< in shared memory
template <class P>
using RegisterTile = Tile<P, Space::registers>;  ///< in registers

/// Tiles used in turn: the depth of a pipeline of loads.
template <class P>
class Ring {
 public:
  explicit Ring(std::vector<SharedTile<P>> stages) : stages_(std::move(stages)) {}
  SharedTile<P>& next() { return stages_[turn_++ % stages_.size()]; }
  /// The one that next() gave last; before that, the first.
  SharedTile<P>& current() { return stages_[(turn_ == 0 ? 0 : turn_ - 1) % stages_.size()]; }

 private:
  std::vector<SharedTile<P>> stages_;
  std::size_t turn_ = 0;
};

/// Equal tiles in use at once, by index.
template <class P>
class Copies {
 public:
  explicit Copies(std::vector<RegisterTile<P>> tiles) : tiles_(std::move(tiles)) {}
  RegisterTile<P>& operator[](Count index) { return tiles_[static_cast<std::size_t>(index) % tiles_.size()]; }
  const RegisterTile<P>& operator[](Count index) const {
    return tiles_[static_cast<std::size_t>(index) % tiles_.size()];
  }

 private:
  std::vector<RegisterTile<P>> tiles_;  // one that stands for all in a folded loop
};

/// A tensor in device memory: one matrix per stream that owns one.
template <class P>
struct Tensor {
  TensorName name = TensorName::Q;
  Shape shape{};
  DType dtype = DType::fp16;
  std::vector<typename P::Storage> streams;  ///< empty for Ghost
};

/// A rectangle of one stream of a tensor.
template <class P>
struct View {
  Tensor<P>* tensor = nullptr;
  std::size_t stream = 0;
  Count row = 0;
  Count col = 0;
  Shape shape{};

  auto numbers() const { return tensor->streams[stream].block(row, col, shape.rows, shape.cols); }
};

}  // namespace tilemeter
