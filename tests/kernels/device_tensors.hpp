// The tensors of a launch in device memory, filled from and read back as the simulator's values.
#pragma once

#include <map>
#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/catalog.hpp"
#include "sim/values.hpp"

/// Every operand of `kernel` at `point`, with poisoned elements behind each.
class DeviceTensors {
 public:
  DeviceTensors(const tilemeter::kernels::Kernel& kernel, const tilemeter::Case& point,
                const tilemeter::Values& inputs);

  const tilemeter::kernels::Tensors& pointers() const { return pointers_; }

  /// Poisons what the kernel writes and puts initial values in place.
  void reset();

  /// What is in memory of `name`, in matrices shaped like `shaped`.
  std::vector<tilemeter::Matrix> values(tilemeter::TensorName name, const std::vector<tilemeter::Matrix>& shaped) const;

  bool has(tilemeter::TensorName name) const { return memory_.count(name) > 0; }

  /// Whether the elements behind every operand still hold the poison.
  bool guards_hold() const;

 private:
  struct Memory {
    tilemeter::kernels::Operand operand;
    tilemeter::kernels::Buffer<std::byte> bytes;
  };

  const tilemeter::kernels::Kernel& kernel_;
  tilemeter::Case point_;
  std::map<tilemeter::TensorName, Memory> memory_;
  tilemeter::kernels::Tensors pointers_;
};
