// Loads and stores of tiles, made by hand for tests of the L2.
#pragma once

#include "sim/time/l2.hpp"

namespace tilemeter::testing {

/// A tensor of `rows` x `cols` elements of 2 bytes.
inline TensorInfo matrix_of(Count rows, Count cols, Count streams = 1, TensorName name = TensorName::K) {
  return {.name = name, .streams = streams, .rows = rows, .cols = cols, .dtype = DType::fp16};
}

/// What an access does at the edge of the SM.
enum class Way { load, store, add };

inline Op op_of(Way way) {
  Op op{.unit = Unit::memory};
  if (way != Way::store) op.traffic.read_bytes = Bytes(1);
  if (way != Way::load) op.traffic.write_bytes = Bytes(1);
  return op;
}

/// A recording whose one block loads `rows` x `cols` tiles all over its tensors, so that pieces have that shape.
inline Recording tiled(std::vector<TensorInfo> tensors, Count rows, Count cols) {
  RecordedLaunch launch{.blocks = {{}}, .programs = {{}}};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    const auto step = [&](Count length, Count times) {
      launch.programs[0].steps.push_back({.times = times, .length = static_cast<int>(length)});
    };
    step(2, ceil_div(tensor.rows, rows));
    step(1, ceil_div(tensor.cols, cols));
    const int area = static_cast<int>(launch.areas.size());
    launch.programs[0].steps.push_back(
        {.op = op_of(Way::load), .area = area, .moves = {Move{.rows = rows}, Move{.cols = cols}}});
    launch.areas.push_back({.tensor = static_cast<int>(i), .area = {0, 0, rows, cols}});
  }
  return {.tensors = std::move(tensors), .launches = {launch}};
}

/// An L2 and the tiles that a test touches in it.
class TileAccesses {
 public:
  TileAccesses(const Recording& recording, Count capacity, Count rows, Count cols)
      : l2(recording, Bytes(capacity)), rows_(rows), cols_(cols) {}

  /// Tile `index` along the rows of stream `stream` of `streams`.
  DramTraffic load(Count index, int tensor = 0, Count stream = 0, Count streams = 1) {
    return access(Way::load, index, tensor, stream, streams);
  }
  DramTraffic store(Count index, int tensor = 0) { return access(Way::store, index, tensor, 0, 1); }
  DramTraffic add(Count index, int tensor = 0) { return access(Way::add, index, tensor, 0, 1); }

  L2 l2;

 private:
  DramTraffic access(Way way, Count index, int tensor, Count stream, Count streams) {
    return l2.access(op_of(way), {.tensor = tensor, .area = {index * rows_, 0, rows_, cols_}}, stream, streams);
  }

  Count rows_;
  Count cols_;
};

}  // namespace tilemeter::testing
