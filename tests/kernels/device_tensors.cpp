#include "tests/kernels/device_tensors.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "kernels/operands.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

/// Bytes behind each operand that must stay poisoned: more than a tile, so that a kernel that reads K or V past its
/// last row meets NaN.
constexpr std::size_t guard = 1 << 17;

std::size_t bytes_of_operand(const Operand& operand) {
  return static_cast<std::size_t>(operand.elements * size_of(operand.type));
}

void encode(DType type, double value, std::byte* to) {
  const auto put = [&](auto stored) { std::memcpy(to, &stored, sizeof stored); };
  switch (type) {
    case DType::fp64:
      return put(value);
    case DType::fp32:
      return put(static_cast<float>(value));
    case DType::fp16:
      return put(__double2half(value));
    case DType::bf16:
      return put(__double2bfloat16(value));
    case DType::fp8:
      return put(__nv_fp8_e4m3(value));
    case DType::int8:
      return put(static_cast<std::int8_t>(value));
    default:
      throw std::logic_error("no kernel stores " + std::string(name_of(type)));
  }
}

template <class Stored>
Stored stored_at(const std::byte* from) {
  Stored stored;
  std::memcpy(&stored, from, sizeof stored);
  return stored;
}

double decode(DType type, const std::byte* from) {
  switch (type) {
    case DType::fp64:
      return stored_at<double>(from);
    case DType::fp32:
      return static_cast<double>(stored_at<float>(from));
    case DType::fp16:
      return static_cast<double>(__half2float(stored_at<__half>(from)));
    case DType::bf16:
      return static_cast<double>(__bfloat162float(stored_at<__nv_bfloat16>(from)));
    default:
      throw std::logic_error("no kernel stores " + std::string(name_of(type)));
  }
}

bool has_query_rows(TensorName name) { return name != TensorName::K && name != TensorName::V; }

/// V of fp8 operands lies transposed.
bool is_transposed(const Problem& problem, TensorName name) {
  return problem.dtype == DType::fp8 && name == TensorName::V;
}

/// What the numbers of a K/V head in fp8 are to be multiplied with: powers of two, so that they stay exact.
double descale_of(TensorName name, std::size_t kv_stream) { return (kv_stream + index_of(name)) % 2 == 0 ? 0.5 : 1; }

/// Of the element of a stream, 1 in other types.
double descale_of(const Problem& problem, TensorName name, std::size_t stream) {
  if (problem.dtype != DType::fp8) return 1;
  const auto group = static_cast<std::size_t>(problem.group());
  return descale_of(name, name == TensorName::Q ? stream / group : stream);
}

/// Those of all K/V heads, by tensor.
std::vector<float> descales_of(const Problem& problem) {
  std::vector<float> descales;
  for (const TensorName name : {TensorName::Q, TensorName::K, TensorName::V}) {
    for (Count kv_stream = 0; kv_stream < problem.batch * problem.kv_heads; ++kv_stream) {
      descales.push_back(static_cast<float>(descale_of(name, static_cast<std::size_t>(kv_stream))));
    }
  }
  return descales;
}

/// Index in memory of element (row, col) of a matrix. Packed streams interleave the heads of a group; memory keeps the
/// heads apart.
std::size_t index_in_memory(const Problem& problem, TensorName name, std::size_t stream, Count rows, Count cols,
                            Count row, Count col) {
  if (is_transposed(problem, name)) {
    const Count column = static_cast<Count>(stream) * cols + col;
    return static_cast<std::size_t>(column * fp8_keys(rows) + row);
  }
  if (problem.packing == Packing::unpacked || !has_query_rows(name)) {
    return stream * static_cast<std::size_t>(rows * cols) + static_cast<std::size_t>(row * cols + col);
  }
  const Count group = problem.group(), positions = rows / group;
  const Count head = static_cast<Count>(stream) * group + row % group;
  return static_cast<std::size_t>((head * positions + row / group) * cols + col);
}

template <class Element>
void for_each_element(const Problem& problem, TensorName name, const std::vector<Matrix>& matrices, Element element) {
  for (std::size_t stream = 0; stream < matrices.size(); ++stream) {
    const Count rows = matrices[stream].rows(), cols = matrices[stream].cols();
    for (Count row = 0; row < rows; ++row) {
      for (Count col = 0; col < cols; ++col) {
        element(stream, row, col, index_in_memory(problem, name, stream, rows, cols, row, col));
      }
    }
  }
}

}  // namespace

DeviceTensors::DeviceTensors(const Kernel& kernel, const Case& point, const Values& inputs)
    : kernel_(kernel), point_(point) {
  for (const Operand& operand : kernel.operands(point)) {
    Memory memory{operand, Buffer<std::byte>(bytes_of_operand(operand) + guard)};
    std::vector<std::byte> host(memory.bytes.size(), std::byte{0xFF});
    if (const auto found = inputs.find(operand.name); is_read_only(operand.role) && found != inputs.end()) {
      Count elements = 0;
      for_each_element(point.problem, operand.name, found->second, [&](auto stream, Count row, Count col, auto index) {
        const auto at = index * static_cast<std::size_t>(size_of(operand.type));
        const double value = found->second[stream](row, col) / descale_of(point.problem, operand.name, stream);
        encode(operand.type, value, host.data() + at);
        ++elements;
      });
      if (elements != operand.elements && !is_transposed(point.problem, operand.name))
        throw std::logic_error("operand of another size: " + std::string(name_of(operand.name)));
    } else if (point.problem.dtype == DType::fp8 && operand.name == TensorName::scales) {
      const std::vector<float> descales = descales_of(point.problem);
      std::memcpy(host.data(), descales.data(), descales.size() * sizeof(float));
    } else if (operand.role == Role::input && operand.elements > 0) {
      throw std::logic_error("no input for operand " + std::string(name_of(operand.name)));
    }
    memory.bytes.copy_from(host);
    pointers_.set(operand.name, memory.bytes.data());
    memory_.emplace(operand.name, std::move(memory));
  }
  reset();
}

void DeviceTensors::reset() {
  for (auto& [name, memory] : memory_) {
    if (!is_read_only(memory.operand.role)) memory.bytes.poison();
  }
  if (kernel_.prepare == nullptr) return;
  kernel_.prepare(pointers_, point_, nullptr);
  TILEMETER_CHECK(cudaStreamSynchronize(nullptr));
}

std::vector<Matrix> DeviceTensors::values(TensorName name, const std::vector<Matrix>& shaped) const {
  const Memory& memory = memory_.at(name);
  const std::vector<std::byte> host = memory.bytes.to_host();
  std::vector<Matrix> matrices = shaped;
  for_each_element(point_.problem, name, shaped, [&](auto stream, Count row, Count col, auto index) {
    const auto at = index * static_cast<std::size_t>(size_of(memory.operand.type));
    matrices[stream](row, col) = decode(memory.operand.type, host.data() + at);
  });
  return matrices;
}

bool DeviceTensors::guards_hold() const {
  return std::all_of(memory_.begin(), memory_.end(), [](const auto& entry) {
    const std::vector<std::byte> host = entry.second.bytes.to_host();
    return std::all_of(host.end() - guard, host.end(), [](std::byte byte) { return byte == std::byte{0xFF}; });
  });
}
