// How flash3 is launched: what its kernels do, and the arguments that do not depend on the operands' type.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/element_type.cuh"
#include "kernels/flash3_consume.cuh"
#include "kernels/flash3_produce.cuh"
#include "kernels/present.hpp"
#include "kernels/recording.hpp"
#include "kernels/tensor_map.hpp"

namespace tilemeter::kernels::flash3_steps {

/// A block's way through its kernel: it attends query tiles until none is left.
template <class S, class Counters>
__device__ __forceinline__ void attend_tiles(const Flash3Arguments& a, Counters& counters) {
  extern __shared__ unsigned char flash3_shared[];
  const SharedMemory<S> shared(flash3_shared);
  shared.init_barriers();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / warpgroup_size, 0);
  if (warpgroup == 0) {
    shrink_registers<S::producer_registers>();
    produce(a, shared, counters);
  } else {
    grow_registers<S::consumer_registers>();
    Consumer<S, Counters>(a, shared, warpgroup - 1, counters).run();
  }
  if constexpr (S::cluster > 1) shared.synchronise();  // no block leaves while another may reach it
}

/// What a launch with query tiles of S is told beside where the tensors are.
template <class S>
Flash3Arguments arguments_without_maps(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const Count streams = problem.streams(), row_blocks = ceil_div(problem.seq_q, S::block_q);
  const Visibility visible = visibility_of(problem, S::block_k);
  const bool plus = point.options.empty_lse == EmptyLse::plus_infinity;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr double log2_of_e = 1.4426950408889634;
  return {.k_memory = tensors[TensorName::K],
          .lse = tensors.at<float>(TensorName::LSE),
          .visible = visible,
          .keys = static_cast<int>(visible.keys),
          .first_key = static_cast<int>(visible.shift - visible.left),
          .end_key = static_cast<int>(visible.shift + visible.right) + 1,
          .seq_q = static_cast<int>(problem.seq_q),
          .seq_k = static_cast<int>(problem.seq_k),
          .group = static_cast<int>(problem.group()),
          .row_blocks = static_cast<int>(row_blocks),
          .streams = static_cast<int>(streams),
          .kv_streams = static_cast<int>(problem.batch * problem.kv_heads),
          .longest_first = grows_with_rows(problem.mask),
          .tiles = static_cast<int>(streams * row_blocks),
          .scale_log2 = static_cast<float>(log2_of_e / std::sqrt(static_cast<double>(problem.head_dim))),
          .empty_lse = plus ? infinity : -infinity};
}

template <class S, class Records>
void enqueue(void (*kernel)(Flash3Arguments, Records), int blocks, Stream stream, const Flash3Arguments& a,
             const Records& records) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {S::cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = S::threads;
  config.dynamicSmemBytes = S::shared;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = S::cluster > 1 ? 1 : 0;
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared));
  TILEMETER_CHECK(cudaLaunchKernelEx(&config, kernel, a, records));
}

/// Launches a kernel with as many blocks as it wants.
template <class S, class Kernel, class Recorder>
void launch(Kernel kernel, const Flash3Arguments& a, Stream stream, Recorder& recorder) {
  const int blocks = S::choices.persistent ? std::min(a.tiles, multiprocessors()) : a.tiles;
  enqueue<S>(kernel, blocks, stream, a, recorder.records(blocks));
}

/// Calls `body(ElementType<S>())` with the sizes S of a build on elements of type T.
template <class T, const Flash3Build& build, class Body>
void with_shape(Body body) {
  constexpr KernelTiling tiling = build.tiling;
  using S = Flash3Shape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                        static_cast<int>(tiling.head_dim), static_cast<int>(tiling.stages), build.choices>;
  static_assert(Bytes(S::shared) == tiling.shared && S::threads == tiling.threads);
  body(ElementType<S>());
}

}  // namespace tilemeter::kernels::flash3_steps
