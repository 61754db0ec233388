// What one thread block counted, and the sum over a grid.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// Elements that a block moved between device memory and its SM, by tensor (index_of), and the tiles it visited.
struct Record {
  std::uint64_t read[tensor_count];
  std::uint64_t write[tensor_count];
  std::uint64_t tiles;
};

/// Sum of the blocks' records in the terms of the model: traffic and tiles; operations stay zero. Bytes follow the
/// operands' types. Throws std::logic_error when a record still holds the fill pattern of Buffer::poison, that is, when
/// a block did not report, and when a tensor was counted that is none of `operands`.
Work sum_records(std::span<const Record> records, std::span<const Operand> operands);

}  // namespace tilemeter::kernels
