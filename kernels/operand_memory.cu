#include "kernels/operand_memory.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/reference_gradients.hpp"
#include "kernels/typed_memory.cuh"
#include "model/closed_form/weight_layer.hpp"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 256;
constexpr int poison = 0xFF;

__device__ std::uint64_t mixed(std::uint64_t counter) {
  counter *= 0x9E3779B97F4A7C15U;
  counter = (counter ^ (counter >> 30)) * 0xBF58476D1CE4E5B9U;
  counter = (counter ^ (counter >> 27)) * 0x94D049BB133111EBU;
  return counter ^ (counter >> 31);
}

/// In (0, 1].
__device__ float uniform(std::uint32_t bits) { return (static_cast<float>(bits >> 8) + 1) * 0x1p-24F; }

/// The standard normal number of element i.
__device__ float normal(std::uint64_t key, Count i) {
  const std::uint64_t bits = mixed(key + static_cast<std::uint64_t>(i));
  const float radius = sqrtf(-2 * logf(uniform(static_cast<std::uint32_t>(bits >> 32))));
  return radius * cospif(2 * uniform(static_cast<std::uint32_t>(bits)));
}

__global__ void fill(TypedMemory memory, Count elements, std::uint64_t key, float scale) {
  const Count step = Count{gridDim.x} * threads;
  for (Count i = blockIdx.x * Count{threads} + threadIdx.x; i < elements; i += step) {
    memory.set(i, scale * normal(key, i));
  }
}

/// One block a part of the tensor: its largest number becomes that of e4m3, and `descales` gets what undoes it.
__global__ void quantise(TypedMemory memory, Count part, std::uint64_t key, float* descales) {
  constexpr float largest_e4m3 = 448;
  __shared__ int largest_bits;  // of floats that are not negative, which are ordered like integers
  if (threadIdx.x == 0) largest_bits = 0;
  __syncthreads();
  const Count begin = blockIdx.x * part;
  float largest = 0;
  for (Count i = threadIdx.x; i < part; i += blockDim.x) largest = fmaxf(largest, fabsf(normal(key, begin + i)));
  atomicMax(&largest_bits, __float_as_int(largest));
  __syncthreads();
  const float descale = __int_as_float(largest_bits) / largest_e4m3;
  for (Count i = threadIdx.x; i < part; i += blockDim.x) memory.set(begin + i, normal(key, begin + i) / descale);
  if (threadIdx.x == 0) descales[blockIdx.x] = descale;
}

std::uint64_t splitmix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

/// Q, K and V in fp8, and their scales.
void fill_fp8_inputs(const Tensors& tensors, const std::vector<Operand>& operands, const Problem& problem,
                     std::uint64_t seed) {
  constexpr int most_threads = 1024;
  const Count kv_heads = problem.batch * problem.kv_heads;
  auto* descales = tensors.at<float>(TensorName::scales);
  for (const Operand& operand : operands) {
    if (operand.type != DType::fp8) continue;
    if (operand.elements > 0) {
      quantise<<<static_cast<unsigned>(kv_heads), most_threads>>>(
          {tensors[operand.name], operand.type}, operand.elements / kv_heads,
          splitmix(splitmix(seed) + index_of(operand.name)), descales);
      TILEMETER_CHECK(cudaGetLastError());
    }
    descales += kv_heads;
  }
}

void require_free(Bytes needed) {
  std::size_t free = 0, total = 0;
  TILEMETER_CHECK(cudaMemGetInfo(&free, &total));
  if (static_cast<std::size_t>(needed.value()) <= free) return;
  throw InputError("the tensors take " + std::to_string(needed.value()) + " B: the GPU has " + std::to_string(free) +
                   " B free of " + std::to_string(total) + " B; use smaller sizes");
}

}  // namespace

void clear_states(const std::vector<Operand>& operands, const Tensors& tensors, Stream stream) {
  for (const Operand& operand : operands) {
    if (operand.role != Role::state) continue;
    const auto bytes = static_cast<std::size_t>(bytes_of(operand).value());
    TILEMETER_CHECK(cudaMemsetAsync(tensors[operand.name], 0, bytes, stream));
  }
}

Bytes bytes_of(const Operand& operand) {
  return named(name_of(operand.name), [&] { return bytes_of(Elements(operand.elements), operand.type); });
}

void fill_normal(void* memory, DType type, Count elements, std::uint64_t seed, std::uint64_t sequence, Stream stream) {
  constexpr Count most_blocks = 8192;
  const bool integers = type == DType::int8;
  if (type != DType::fp64 && type != DType::fp32 && type != DType::fp16 && type != DType::bf16 && !integers) {
    throw std::logic_error("no normal numbers in " + std::string(name_of(type)));
  }
  if (elements == 0) return;
  const auto blocks = static_cast<unsigned>(std::min(most_blocks, ceil_div(elements, threads)));
  fill<<<blocks, threads, 0, stream>>>({memory, type}, elements, splitmix(splitmix(seed) + sequence),
                                       static_cast<float>(1 / (integers ? whole_scale(WeightType::int8) : 1)));
  TILEMETER_CHECK(cudaGetLastError());
}

Bytes OperandMemory::needed(const Kernel& kernel, const Case& point) {
  return named("the memory of the tensors", [&] {
    Bytes sum;
    for (const Operand& operand : kernel.operands(point)) {
      sum += bytes_of(operand) + Bytes(static_cast<Count>(guard));
    }
    return sum;
  });
}

OperandMemory::OperandMemory(const Kernel& kernel, const Case& point, std::uint64_t seed)
    : kernel_(kernel), point_(point), operands_(kernel.operands(point)) {
  require_free(needed(kernel, point));
  for (const Operand& operand : operands_) {
    Buffer<unsigned char>& memory = memory_.emplace_back(static_cast<std::size_t>(bytes_of(operand).value()) + guard);
    memory.poison();
    tensors_.set(operand.name, memory.data());
    if (operand.role != Role::input || point.problem.dtype == DType::fp8) continue;
    fill_normal(memory.data(), operand.type, operand.elements, seed, index_of(operand.name), nullptr);
  }
  if (point.problem.dtype == DType::fp8) fill_fp8_inputs(tensors_, operands_, point.problem, seed);
  leave_forward_results(tensors_, operands_, point, nullptr);
  TILEMETER_CHECK(cudaStreamSynchronize(nullptr));
}

void OperandMemory::reset(Stream stream) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (is_read_only(operands_[i].role)) continue;
    TILEMETER_CHECK(cudaMemsetAsync(memory_[i].data(), poison, memory_[i].bytes(), stream));
  }
  if (kernel_.prepare != nullptr) kernel_.prepare(tensors_, point_, stream);
}

bool OperandMemory::guards_hold() const {
  for (const Buffer<unsigned char>& memory : memory_) {
    std::vector<unsigned char> behind(guard);
    TILEMETER_CHECK(cudaMemcpy(behind.data(), memory.data() + memory.size() - guard, guard, cudaMemcpyDeviceToHost));
    if (std::any_of(behind.begin(), behind.end(), [](unsigned char byte) { return byte != poison; })) return false;
  }
  return true;
}

}  // namespace tilemeter::kernels
