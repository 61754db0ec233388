// From a point to a launch of a kernel of `weight_layer`.
#pragma once

#include <tuple>

#include "kernels/check.hpp"
#include "kernels/tensor_map.hpp"
#include "kernels/weight_layer.cuh"

namespace tilemeter::kernels {

/// Row-major matrices (rows x cols), one a problem, copied in boxes of box_rows x 128 bytes.
inline CUtensorMap weight_map(DType type, const void* memory, const Case& point, Count rows, Count cols, int box_rows) {
  const BoxDimension dimensions[] = {{.size = cols, .stride = 1, .box = static_cast<int>(swizzle_row / size_of(type))},
                                     {.size = rows, .stride = cols, .box = box_rows},
                                     {.size = point.problem.batch, .stride = rows * cols, .box = 1}};
  return tensor_map(type, memory, dimensions);
}

/// `scale` is that of all weights.
template <class S>
WeightArguments weight_arguments(const Tensors& tensors, const Case& point, const WeightSplit& split, double scale) {
  const auto& [tokens, d_in, d_out] = std::tie(point.shapes.tokens, point.shapes.d_in, point.shapes.d_out);
  const Count group = point.options.group_size;
  return {.x = weight_map(DType::bf16, tensors[TensorName::X], point, tokens, d_in, S::tokens),
          .w = weight_map(dtype_of(point.options.weight_type), tensors[TensorName::W], point, d_out, d_in, S::features),
          .y = tensors.at<__nv_bfloat16>(TensorName::Y),
          .scales = group > 0 ? tensors.at<__half>(TensorName::scales) : nullptr,
          .tokens = static_cast<int>(tokens),
          .d_in = static_cast<int>(d_in),
          .d_out = static_cast<int>(d_out),
          .group = group < d_in ? static_cast<int>(group) : 0,
          .groups = group > 0 ? static_cast<int>(ceil_div(d_in, group)) : 0,
          .scale = group > 0 ? 1 : static_cast<float>(scale),
          .steps = static_cast<int>(split.steps),
          .token_tiles = static_cast<unsigned>(ceil_div(tokens, S::tokens)),
          .feature_tiles = static_cast<unsigned>(ceil_div(d_out, S::features)),
          .splits = static_cast<unsigned>(split.splits)};
}

inline Count multiprocessors() {
  int device = 0, count = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

/// Enqueues `kernel`, a cluster of blocks for every tile of Y.
template <class S, class Recorder, class Kernel>
void launch_weights(Kernel kernel, const Tensors& tensors, const Case& point, double scale, Stream stream,
                    Recorder& recorder) {
  const WeightSplit split = weight_split(point, multiprocessors());
  const WeightArguments a = weight_arguments<S>(tensors, point, split, scale);
  const unsigned blocks = a.token_tiles * a.feature_tiles * a.splits * static_cast<unsigned>(point.problem.batch);
  const Count shared = WeightLayout::alignment + S::stages * (S::stage_bytes + WeightLayout::barriers);
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {a.splits, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = S::threads;
  config.dynamicSmemBytes = static_cast<std::size_t>(shared);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  TILEMETER_CHECK(cudaLaunchKernelEx(&config, kernel, a, recorder.records(blocks)));
}

}  // namespace tilemeter::kernels
