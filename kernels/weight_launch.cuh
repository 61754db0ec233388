// From a point to a launch of a kernel of `weight_layer`.
#pragma once

#include <tuple>

#include "kernels/check.hpp"
#include "kernels/present.hpp"
#include "kernels/tensor_map.hpp"
#include "kernels/weight_layer.cuh"

namespace tilemeter::kernels {

/// `scale` is that of all weights.
template <class S>
WeightArguments weight_arguments(const Tensors& tensors, const Case& point, const WeightSplit& split, double scale) {
  const auto& [tokens, d_in, d_out] = std::tie(point.shapes.tokens, point.shapes.d_in, point.shapes.d_out);
  const Count problems = point.problem.batch, group = point.options.group_size;
  return {
      .x = matrix_map(DType::bf16, tensors[TensorName::X], problems, tokens, d_in, S::tokens),
      .w = matrix_map(dtype_of(point.options.weight_type), tensors[TensorName::W], problems, d_out, d_in, S::features),
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
