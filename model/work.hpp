// An amount of every resource: what a closed form predicts, the ledger counts, and a kernel's counters report.
#pragma once

#include <array>
#include <cstddef>

#include "model/tensor.hpp"
#include "model/units.hpp"

namespace tilemeter {

/// Reads and writes across one boundary, in elements and in bytes.
struct Traffic {
  Elements read{};
  Elements write{};
  Bytes read_bytes{};
  Bytes write_bytes{};

  Elements total() const { return read + write; }
  Bytes total_bytes() const { return read_bytes + write_bytes; }
  bool empty() const { return read.value() == 0 && write.value() == 0; }
  Traffic& operator+=(const Traffic& other) {
    read += other.read;
    write += other.write;
    read_bytes += other.read_bytes;
    write_bytes += other.write_bytes;
    return *this;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Throws UnnamedOverflow.
inline Traffic operator*(const Traffic& traffic, Count times) {
  return {.read = traffic.read * times,
          .write = traffic.write * times,
          .read_bytes = traffic.read_bytes * times,
          .write_bytes = traffic.write_bytes * times};
}

/// Exponentials, by what they are for.
struct Exponentials {
  Count scores = 0;         ///< exp(s - m), one per visited score
  Count rescale = 0;        ///< alpha = exp(m_old - m_new), one per row and visited tile
  Count rescale_block = 0;  ///< beta of the paper's Algorithm 1; zero where the listing has none
  Count combine = 0;        ///< weights when partial results are merged

  /// All of them. Throws UnnamedOverflow.
  Count total() const { return checked::add(checked::add(scores, rescale), checked::add(rescale_block, combine)); }
  friend bool operator==(const Exponentials&, const Exponentials&) = default;
};

/// Traffic per tensor at the edge of the SM, and operations. Totals cover batch x heads.
struct Work {
  std::array<Traffic, tensor_count> tensors{};
  Flops matmul_flops{};
  Exponentials exp;
  Count tiles = 0;  ///< visited (query tile, key tile) pairs

  Traffic& operator[](TensorName tensor) { return tensors[index_of(tensor)]; }
  const Traffic& operator[](TensorName tensor) const { return tensors[index_of(tensor)]; }

  /// Sum over tensors. Throws FigureOverflow.
  Traffic total() const {
    return named("the total traffic", [&] {
      Traffic sum;
      for (const Traffic& traffic : tensors) sum += traffic;
      return sum;
    });
  }
  friend bool operator==(const Work&, const Work&) = default;
};

/// Adds `other` to `sum`, for bills that consist of several problems. Throws FigureOverflow.
inline void add(Work& sum, const Work& other) {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    named(tensor_names[i], [&] { sum.tensors[i] += other.tensors[i]; });
  }
  named("matmul_flops", [&] { sum.matmul_flops += other.matmul_flops; });
  named("exp", [&] {
    sum.exp.scores = checked::add(sum.exp.scores, other.exp.scores);
    sum.exp.rescale = checked::add(sum.exp.rescale, other.exp.rescale);
    sum.exp.rescale_block = checked::add(sum.exp.rescale_block, other.exp.rescale_block);
    sum.exp.combine = checked::add(sum.exp.combine, other.exp.combine);
  });
  named("tiles", [&] { sum.tiles = checked::add(sum.tiles, other.tiles); });
}

}  // namespace tilemeter
