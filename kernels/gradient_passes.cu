#include "kernels/gradient_passes.hpp"

#include "kernels/chunks.cuh"
#include "kernels/element_type.cuh"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

constexpr int threads = 256;
constexpr int lanes = 8;  ///< that share a row

template <class T>
struct PreprocessArguments {
  const T* o;
  const T* d_o;
  float* d;
  float* dq;  ///< null where dQ is not accumulated
  Count rows;
  Count seq_q;
  int head_dim;
  int head_dim_v;
  int buffers;
};

/// The sum of dO o O over the first `cols` columns of a row, in each of its lanes.
template <class T, class Counters>
__device__ float row_product(const PreprocessArguments<T>& a, Count row, int cols, Counters& counters) {
  const Count begin = row * a.head_dim_v;
  float sum = 0;
  for (int col = threadIdx.x % lanes * chunk_elements; col < cols; col += lanes * chunk_elements) {
    float o[chunk_elements], d_o[chunk_elements];
    unpack<T>(*reinterpret_cast<const uint4*>(a.o + begin + col), o);
    unpack<T>(*reinterpret_cast<const uint4*>(a.d_o + begin + col), d_o);
    counters.read(TensorName::O, chunk_elements);
    counters.read(TensorName::dO, chunk_elements);
#pragma unroll
    for (int i = 0; i < chunk_elements; ++i) sum = fmaf(o[i], d_o[i], sum);
  }
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  return sum;
}

/// Eight lanes a row: D = rowsum(dO o O), and zeros in dQacc.
template <class T, class Counters>
__global__ void __launch_bounds__(threads)
    gradient_preprocess(const __grid_constant__ PreprocessArguments<T> a, typename Counters::Records records) {
  constexpr int floats = elements_of_chunk<float>;
  const Count row = (Count{blockIdx.x} * threads + threadIdx.x) / lanes;
  const int lane = threadIdx.x % lanes;
  const bool there = row < a.rows;
  Counters counters;
  const float d = row_product(a, row, there ? a.head_dim_v : 0, counters);
  if (there && lane == 0) {
    a.d[row] = d;
    counters.write(TensorName::D, 1);
  }
  if (there && a.dq != nullptr) {
    const Count stream = row / a.seq_q;
    for (int buffer = 0; buffer < a.buffers; ++buffer) {
      float* to = a.dq + ((stream * (a.buffers - 1) + buffer) * a.seq_q + row) * a.head_dim;
      for (int col = lane * floats; col < a.head_dim; col += lanes * floats) {
        write_chunk(to + col, uint4{0, 0, 0, 0});
        counters.write(TensorName::dQacc, floats);
      }
    }
  }
  counters.flush(records);
}

template <class T>
struct PostprocessArguments {
  const float* accumulated;
  T* dq;
  Count chunks;            ///< of dQ
  Count chunks_of_stream;  ///< and of a buffer
  int buffers;
  float factor;
};

/// One thread a chunk of dQ.
template <class T, class Counters>
__global__ void __launch_bounds__(threads)
    gradient_postprocess(const __grid_constant__ PostprocessArguments<T> a, typename Counters::Records records) {
  const Count chunk = Count{blockIdx.x} * threads + threadIdx.x;
  Counters counters;
  if (chunk < a.chunks) {
    const Count stream = chunk / a.chunks_of_stream;
    float sums[chunk_elements] = {};
    for (int buffer = 0; buffer < a.buffers; ++buffer) {
      const Count from = (stream * (a.buffers - 1) + buffer) * a.chunks_of_stream + chunk;
      const auto* halves = reinterpret_cast<const float4*>(a.accumulated) + from * 2;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 part = halves[half];
        sums[half * 4] += part.x;
        sums[half * 4 + 1] += part.y;
        sums[half * 4 + 2] += part.z;
        sums[half * 4 + 3] += part.w;
      }
      counters.read(TensorName::dQacc, chunk_elements);
    }
#pragma unroll
    for (float& sum : sums) sum *= a.factor;
    write_chunk(a.dq + chunk * chunk_elements, pack<T>(sums));
    counters.write(TensorName::dQ, chunk_elements);
  }
  counters.flush(records);
}

/// A tensor expanded to the query heads, and its sum.
template <class T>
struct Expanded {
  const T* from;
  T* to;
  Count chunks;  ///< of the sum
  Count chunks_of_head;
};

template <class T>
struct ReductionArguments {
  Expanded<T> dk, dv;
  int group;
};

/// One chunk of the sum over the heads of a group.
template <class T, class Counters>
__device__ void sum_heads(const Expanded<T>& tensor, int group, Count chunk, TensorName from, TensorName to,
                          Counters& counters) {
  const Count first = chunk / tensor.chunks_of_head * (group - 1) * tensor.chunks_of_head + chunk;
  float sums[chunk_elements] = {};
  for (int head = 0; head < group; ++head) {
    float part[chunk_elements];
    const Count at = (first + head * tensor.chunks_of_head) * chunk_elements;
    unpack<T>(*reinterpret_cast<const uint4*>(tensor.from + at), part);
    counters.read(from, chunk_elements);
#pragma unroll
    for (int i = 0; i < chunk_elements; ++i) sums[i] += part[i];
  }
  write_chunk(tensor.to + chunk * chunk_elements, pack<T>(sums));
  counters.write(to, chunk_elements);
}

/// One thread a chunk of dK, then of dV.
template <class T, class Counters>
__global__ void __launch_bounds__(threads)
    gradient_reduction(const __grid_constant__ ReductionArguments<T> a, typename Counters::Records records) {
  const Count chunk = Count{blockIdx.x} * threads + threadIdx.x;
  Counters counters;
  if (chunk < a.dk.chunks) {
    sum_heads(a.dk, a.group, chunk, TensorName::dKx, TensorName::dK, counters);
  } else if (chunk < a.dk.chunks + a.dv.chunks) {
    sum_heads(a.dv, a.group, chunk - a.dk.chunks, TensorName::dVx, TensorName::dV, counters);
  }
  counters.flush(records);
}

/// Launches a kernel over `items`, a thread each.
template <class Kernel, class Arguments, class Recorder>
void launch(Kernel kernel, const Arguments& arguments, Count items, Stream stream, Recorder& recorder) {
  if (items == 0) return;
  const Count blocks = ceil_div(items, Count{threads});
  kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(arguments, recorder.records(blocks));
  TILEMETER_CHECK(cudaGetLastError());
}

template <class Recorder>
void preprocess(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  const Problem& problem = point.problem;
  const Count rows = problem.batch * problem.heads * problem.seq_q;
  with_half_type(problem.dtype, [&]<class T>(ElementType<T>) {
    const PreprocessArguments<T> arguments = {.o = tensors.at<const T>(TensorName::O),
                                              .d_o = tensors.at<const T>(TensorName::dO),
                                              .d = tensors.at<float>(TensorName::D),
                                              .dq = tensors.at<float>(TensorName::dQacc),
                                              .rows = rows,
                                              .seq_q = problem.seq_q,
                                              .head_dim = static_cast<int>(problem.head_dim),
                                              .head_dim_v = static_cast<int>(problem.head_dim_v),
                                              .buffers = static_cast<int>(accumulation_buffers(point))};
    launch(gradient_preprocess<T, typename Recorder::Counters>, arguments, rows * lanes, stream, recorder);
  });
}

template <class Recorder>
void postprocess(const Tensors& tensors, const Case& point, float factor, Stream stream, Recorder& recorder) {
  const Problem& problem = point.problem;
  const Count of_stream = problem.seq_q * problem.head_dim / chunk_elements;
  const Count chunks = problem.batch * problem.heads * of_stream;
  with_half_type(problem.dtype, [&]<class T>(ElementType<T>) {
    const PostprocessArguments<T> arguments = {.accumulated = tensors.at<const float>(TensorName::dQacc),
                                               .dq = tensors.at<T>(TensorName::dQ),
                                               .chunks = chunks,
                                               .chunks_of_stream = of_stream,
                                               .buffers = static_cast<int>(accumulation_buffers(point)),
                                               .factor = factor};
    launch(gradient_postprocess<T, typename Recorder::Counters>, arguments, chunks, stream, recorder);
  });
}

template <class Recorder>
void reduce(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  const Problem& problem = point.problem;
  if (!expands_key_gradients(problem)) return;
  with_half_type(problem.dtype, [&]<class T>(ElementType<T>) {
    const auto expanded = [&](TensorName from, TensorName to, Count cols) -> Expanded<T> {
      const Count of_head = problem.seq_k * cols / chunk_elements;
      return {tensors.at<const T>(from), tensors.at<T>(to), problem.batch * problem.kv_heads * of_head, of_head};
    };
    const ReductionArguments<T> arguments = {.dk = expanded(TensorName::dKx, TensorName::dK, problem.head_dim),
                                             .dv = expanded(TensorName::dVx, TensorName::dV, problem.head_dim_v),
                                             .group = static_cast<int>(problem.group())};
    launch(gradient_reduction<T, typename Recorder::Counters>, arguments, arguments.dk.chunks + arguments.dv.chunks,
           stream, recorder);
  });
}

}  // namespace

void launch_gradient_preprocess(const Tensors& tensors, const Case& point, Stream stream, NoRecording& recording) {
  preprocess(tensors, point, stream, recording);
}

void launch_gradient_preprocess(const Tensors& tensors, const Case& point, Stream stream, Recording& recording) {
  preprocess(tensors, point, stream, recording);
}

void launch_gradient_postprocess(const Tensors& tensors, const Case& point, float factor, Stream stream,
                                 NoRecording& recording) {
  postprocess(tensors, point, factor, stream, recording);
}

void launch_gradient_postprocess(const Tensors& tensors, const Case& point, float factor, Stream stream,
                                 Recording& recording) {
  postprocess(tensors, point, factor, stream, recording);
}

void launch_gradient_reduction(const Tensors& tensors, const Case& point, Stream stream, NoRecording& recording) {
  reduce(tensors, point, stream, recording);
}

void launch_gradient_reduction(const Tensors& tensors, const Case& point, Stream stream, Recording& recording) {
  reduce(tensors, point, stream, recording);
}

}  // namespace tilemeter::kernels
