#include "kernels/tensor_map.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "kernels/check.hpp"

namespace tilemeter::kernels {
namespace {

/// The driver's function, looked up at run time so that programs start on machines without a driver.
decltype(&cuTensorMapEncodeTiled) encode_tiled() {
  constexpr unsigned since_cuda = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  TILEMETER_CHECK(
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since_cuda, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) TILEMETER_CHECK(cudaErrorCallRequiresNewerDriver);
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

CUtensorMapDataType data_type(DType type) {
  switch (type) {
    case DType::fp32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DType::fp16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DType::fp8:
    case DType::int8:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    default:
      throw std::invalid_argument("a tensor map of " + std::string(name_of(type)));
  }
}

/// Of a swizzled box.
constexpr Count row_bytes = 128;

}  // namespace

CUtensorMap tensor_map(DType type, const void* memory, std::span<const BoxDimension> dimensions) {
  static const auto encode = encode_tiled();
  constexpr std::size_t most = 5;
  if (dimensions.empty() || dimensions.size() > most)
    throw std::invalid_argument("a tensor map of no or six dimensions");
  std::array<cuuint64_t, most> sizes{}, strides{};
  std::array<cuuint32_t, most> boxes{}, steps{};
  steps.fill(1);
  const bool halved = dimensions.front().box * size_of(type) == row_bytes / 2;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    sizes[i] = static_cast<cuuint64_t>(dimensions[i].size);
    boxes[i] = static_cast<cuuint32_t>(dimensions[i].box);
    if (i > 0) strides[i - 1] = static_cast<cuuint64_t>(dimensions[i].stride * size_of(type));
  }
  CUtensorMap map{};
  const CUresult result =
      encode(&map, data_type(type), static_cast<cuuint32_t>(dimensions.size()), const_cast<void*>(memory), sizes.data(),
             strides.data(), boxes.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
             halved ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return map;
  throw std::invalid_argument("cuTensorMapEncodeTiled refused a tensor: error " + std::to_string(result));
}

CUtensorMap matrix_map(DType type, const void* memory, Count matrices, Count rows, Count columns, int box_rows) {
  const BoxDimension dimensions[] = {{.size = columns, .stride = 1, .box = static_cast<int>(row_bytes / size_of(type))},
                                     {.size = rows, .stride = columns, .box = box_rows},
                                     {.size = matrices, .stride = rows * columns, .box = 1}};
  return tensor_map(type, memory, dimensions);
}

CUtensorMap panel_map(DType type, const void* memory, Count matrices, Count rows, Count columns, int box_rows,
                      int parts) {
  const Count width = row_bytes / size_of(type);
  const Count panels = columns / width;
  const BoxDimension dimensions[] = {{.size = width, .stride = 1, .box = static_cast<int>(width)},
                                     {.size = rows, .stride = columns, .box = box_rows},
                                     {.size = panels, .stride = width, .box = static_cast<int>(panels) / parts},
                                     {.size = matrices, .stride = rows * columns, .box = 1}};
  return tensor_map(type, memory, dimensions);
}

}  // namespace tilemeter::kernels
