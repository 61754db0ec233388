#include "kernels/elementwise.hpp"

#include "kernels/chunks.cuh"
#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "model/chain.hpp"

namespace tilemeter::kernels {
namespace {

/// A thread holds `Elements` elements of a block's piece.
template <class T, int Threads, int Elements>
struct Shape {
  using Element = T;
  static constexpr int threads = Threads;
  static constexpr int chunk = elements_of_chunk<T>;
  static constexpr int chunks = Elements / chunk;
  static constexpr int piece = Threads * Elements;
};

/// Operations [first_op, last_op) of the chain on `from`, which is X or, in place, Y.
template <class T>
struct Arguments {
  const T* from;
  const T* side;
  T* to;
  Count length;     ///< elements of a stream
  unsigned pieces;  ///< of a stream
  Count side_inputs;
  Count first_op;
  Count last_op;
  TensorName read;  ///< the name of `from`
  bool aligned;     ///< every stream starts on 16 bytes
};

/// The piece of this thread block.
struct Place {
  Count stream;
  Count begin;  ///< in the stream
  int size;

  template <class T>
  __device__ Place(const Arguments<T>& a, int piece)
      : stream(blockIdx.x / a.pieces),
        begin(Count{blockIdx.x % a.pieces} * piece),
        size(static_cast<int>(a.length - begin < piece ? a.length - begin : piece)) {}

  /// The piece in row `row` of a tensor with `rows` rows of a stream's length.
  template <class T>
  __device__ T* in(T* tensor, Count rows, Count row, Count length) const {
    return tensor + (stream * rows + row) * length + begin;
  }
};

/// What becomes of one value.
__device__ float transform(ChainStep step, float y, float side) {
  switch (step) {
    case ChainStep::leaky:
      return fmaxf(y, y / 4);
    case ChainStep::reflect:
      return 1 - y / 2;
    case ChainStep::side:
      return y / 2 + side;
  }
  return y;
}

template <class S>
using Values = ChunkValues<typename S::Element>[S::chunks];

/// A thread's chunks of a full piece: all loads on their way before the first is used.
template <class S, class Counters>
__device__ void load_state(Values<S>& values, const typename S::Element* piece, TensorName tensor, Counters& counters) {
  uint4 chunks[S::chunks];
#pragma unroll
  for (int i = 0; i < S::chunks; ++i) {
    chunks[i] = __ldcs(reinterpret_cast<const uint4*>(piece) + threadIdx.x + i * S::threads);
    counters.read(tensor, S::chunk);
  }
#pragma unroll
  for (int i = 0; i < S::chunks; ++i) unpack<typename S::Element>(chunks[i], values[i]);
}

template <class S>
__device__ void transform(Values<S>& y, ChainStep step, const Values<S>& side) {
  const auto all = [&](ChainStep known) {
#pragma unroll
    for (int i = 0; i < S::chunks; ++i) {
#pragma unroll
      for (int j = 0; j < S::chunk; ++j) y[i][j] = transform(known, y[i][j], side[i][j]);
    }
  };
  // One branch for all values, not one for each.
  if (step == ChainStep::leaky) {
    all(ChainStep::leaky);
  } else if (step == ChainStep::reflect) {
    all(ChainStep::reflect);
  } else {
    all(ChainStep::side);
  }
}

template <class S, class Counters>
__device__ void store(typename S::Element* piece, const Values<S>& y, Counters& counters) {
#pragma unroll
  for (int i = 0; i < S::chunks; ++i) {
    __stcs(reinterpret_cast<uint4*>(piece) + threadIdx.x + i * S::threads, pack<typename S::Element>(y[i]));
    counters.write(TensorName::Y, S::chunk);
  }
}

template <class S, class Counters>
__device__ void full_piece(const Arguments<typename S::Element>& a, const Place& place, Counters& counters) {
  Values<S> y, side = {};
  load_state<S>(y, place.in(a.from, 1, 0, a.length), a.read, counters);
  for (Count op = a.first_op; op < a.last_op; ++op) {
    const ChainStep step = chain_step(a.side_inputs, op);
    if (step == ChainStep::side) {
      load_state<S>(side, place.in(a.side, a.side_inputs, op, a.length), TensorName::side, counters);
    }
    transform<S>(y, step, side);
  }
  store<S>(place.in(a.to, 1, 0, a.length), y, counters);
}

/// The last piece of a stream, or one that is not aligned: element by element.
template <class S, class Counters>
__device__ void other_piece(const Arguments<typename S::Element>& a, const Place& place, Counters& counters) {
#pragma unroll 1
  for (int i = threadIdx.x; i < place.size; i += S::threads) {
    auto y = static_cast<float>(place.in(a.from, 1, 0, a.length)[i]);
    counters.read(a.read, 1);
#pragma unroll 1
    for (Count op = a.first_op; op < a.last_op; ++op) {
      const ChainStep step = chain_step(a.side_inputs, op);
      float side = 0;
      if (step == ChainStep::side) {
        side = static_cast<float>(place.in(a.side, a.side_inputs, op, a.length)[i]);
        counters.read(TensorName::side, 1);
      }
      y = transform(step, y, side);
    }
    place.in(a.to, 1, 0, a.length)[i] = static_cast<typename S::Element>(y);
    counters.write(TensorName::Y, 1);
  }
}

template <class S, class Counters>
__global__ void __launch_bounds__(S::threads)
    elementwise(const __grid_constant__ Arguments<typename S::Element> a, typename Counters::Records records) {
  const Place place(a, S::piece);
  Counters counters;
  if (a.aligned && place.size == S::piece) {
    full_piece<S>(a, place, counters);
  } else {
    other_piece<S>(a, place, counters);
  }
  counters.flush(records);
}

template <class T>
Arguments<T> arguments(const Tensors& tensors, const Case& point, Count first_op, Count last_op) {
  const TensorName from = first_op == 0 ? TensorName::X : TensorName::Y;
  const Count length = point.shapes.length;
  const bool one_stream = point.problem.batch == 1 && point.options.side_inputs <= 1;
  return {.from = tensors.at<const T>(from),
          .side = tensors.at<const T>(TensorName::side),
          .to = tensors.at<T>(TensorName::Y),
          .length = length,
          .pieces = static_cast<unsigned>(ceil_div(length, point.tiling.block_k)),
          .side_inputs = point.options.side_inputs,
          .first_op = first_op,
          .last_op = last_op,
          .read = from,
          .aligned = one_stream || length % elements_of_chunk<T> == 0};
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("elementwise"), tensors, point);
  const Count blocks = elementwise_blocks(point), ops = point.options.ops;
  const Count ops_a_kernel = point.options.variant == Variant::fused ? ops : 1;
  with_element_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    with_tiling<elementwise_tilings>(point, [&](auto index) {
      constexpr KernelTiling tiling = elementwise_tilings[index];
      using S = Shape<T, static_cast<int>(tiling.threads), static_cast<int>(tiling.block_k / tiling.threads)>;
      for (Count op = 0; op < ops; op += ops_a_kernel) {
        elementwise<S, typename Recorder::Counters><<<static_cast<unsigned>(blocks), S::threads, 0, stream>>>(
            arguments<T>(tensors, point, op, op + ops_a_kernel), recorder.records(blocks));
        TILEMETER_CHECK(cudaGetLastError());
      }
    });
  });
}

}  // namespace

void launch_elementwise(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_elementwise(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(chain_operands(point), stream);
}

}  // namespace tilemeter::kernels
