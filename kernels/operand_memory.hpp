// The device memory of a launch: inputs with random numbers, outputs poisoned, guards behind each tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/catalog.hpp"

namespace tilemeter::kernels {

/// Memory for every operand of a kernel at a point. Behind each lie poisoned bytes: reading past the end of an input
/// brings NaN, writing past the end of an output is seen.
class OperandMemory {
 public:
  static constexpr std::size_t guard = 4096;  ///< bytes

  /// Allocates, fills the inputs by `fill_normal`, and computes what a forward pass left. In fp8 the largest number of
  /// a K/V head becomes that of e4m3, with the scales to match (flash3_operands). Throws InputError when the GPU has
  /// not that much free memory.
  OperandMemory(const Kernel& kernel, const Case& point, std::uint64_t seed);

  const Tensors& tensors() const { return tensors_; }
  const std::vector<Operand>& operands() const { return operands_; }

  /// Poisons what the kernel writes, and puts initial values where it finds them; enqueued on `stream`.
  void reset(Stream stream);

  /// Whether the bytes behind every operand still hold the poison; waits.
  bool guards_hold() const;

  /// Bytes that a kernel needs at a point, guards included. Throws FigureOverflow.
  static Bytes needed(const Kernel& kernel, const Case& point);

 private:
  const Kernel& kernel_;
  Case point_;
  std::vector<Operand> operands_;
  std::vector<Buffer<unsigned char>> memory_;
  Tensors tensors_;
};

/// Enqueues zeros for the operands that a kernel finds initialised and updates.
void clear_states(const std::vector<Operand>& operands, const Tensors& tensors, Stream stream);

/// Bytes of an operand without its guard.
Bytes bytes_of(const Operand& operand);

/// Fills memory with standard normal numbers rounded to `type`: element i depends on `seed`, `sequence` and i alone
/// (splitmix64 of the counter, Box-Muller). int8 gets them in units of `whole_scale`, from -127 to 127; other types
/// that hold integers are refused (std::logic_error).
void fill_normal(void* memory, DType type, Count elements, std::uint64_t seed, std::uint64_t sequence, Stream stream);

}  // namespace tilemeter::kernels
