#include "kernels/softmax.hpp"

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "kernels/softmax_row.cuh"

namespace tilemeter::kernels {
namespace {

using namespace rows;

/// Softmax in passes over the row: two without the maximum (naive), three (safe), two with both at once (online).
template <class S, class Counters>
__global__ void __launch_bounds__(S::block, S::blocks)
    softmax(const __grid_constant__ Arguments<typename S::Element> a, typename Counters::Records records) {
  const Row<S> row(a, blockIdx.x);
  Counters counters;
  Normaliser part;
  if (a.variant == Variant::online) {
    pass<S>(row, counters, [&](const auto& values) { part.take_in(values); });
    const float own = part.m;
    combine_maximum<S>(part);
    part.l *= exponential(own - Normaliser::base(part.m));
  } else {
    if (a.variant == Variant::safe) {
      pass<S>(row, counters, [&](const auto& values) { part.take_in_maximum(values); });
      combine_maximum<S>(part);
    } else {
      part.m = 0;
    }
    pass<S>(row, counters, [&](const auto& values) { part.take_in_sum(values); });
  }
  combine_sum<S>(part);
  last_pass<S>(row, part, counters);
  counters.flush(records);
}

/// Softmax of rows that stay in registers.
template <class S, class Counters>
__global__ void __launch_bounds__(S::block, S::blocks)
    softmax_resident(const __grid_constant__ Arguments<typename S::Element> a, typename Counters::Records records) {
  const Row<S> row(a, Count{blockIdx.x} * rows_of_block<S> + threadIdx.x / S::threads);
  Counters counters;
  Edges<S> edges;
  Piece<S> piece;
  load_edges<S>(edges, row, counters);
  load_piece<S>(piece, row, 0, counters);
  Normaliser part;
  part.take_in_maximum(edges);
  for_each_chunk<S>(piece, row, 0, [&](const auto& values) { part.take_in_maximum(values); });
  combine_maximum<S>(part);
  part.take_in_sum(edges);
  for_each_chunk<S>(piece, row, 0, [&](const auto& values) { part.take_in_sum(values); });
  combine_sum<S>(part);
  const float base = part.m, reciprocal = 1 / part.l;
  const auto quotient = [=](float x) { return exponential(x - base) * reciprocal; };
  store_edges<S>(edges, row, quotient, counters);
  store_piece<S>(piece, row, 0, quotient, counters);
  counters.flush(records);
}

/// Calls `body` with the smallest shape that holds a row of `cols` elements.
template <class T, class Body>
void with_resident_shape(Count cols, Body body) {
  using Short = Shape<T, 32, 4, 1536>;
  using Medium = Shape<T, 128, 4, 1536>;
  using Long = Shape<T, 256, 4, 1024>;
  using Longer = Shape<T, 256, 8, 1024>;
  using Longest = Shape<T, 512, 8, 1024>;
  static_assert(longest_row<Longest> * Count{sizeof(T)} == longest_resident_bytes);
  if (cols <= longest_row<Short>) return body(Short());
  if (cols <= longest_row<Medium>) return body(Medium());
  if (cols <= longest_row<Long>) return body(Long());
  if (cols <= longest_row<Longer>) return body(Longer());
  body(Longest());
}

template <class T>
Arguments<T> arguments(const Tensors& tensors, const Case& point) {
  return {.x = tensors.at<const T>(TensorName::X),
          .y = tensors.at<T>(TensorName::Y),
          .rows = point.problem.batch * point.shapes.rows,
          .cols = static_cast<int>(point.shapes.cols),
          .variant = point.options.variant.value_or(softmax_variants.front())};
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("softmax"), tensors, point);
  with_element_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    const Arguments<T> a = arguments<T>(tensors, point);
    const auto start = [&](auto kernel, Count blocks, int threads) {
      kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(a, recorder.records(blocks));
      TILEMETER_CHECK(cudaGetLastError());
    };
    if (a.variant == Variant::resident) {
      return with_resident_shape<T>(a.cols, [&]<class S>(S) {
        start(softmax_resident<S, typename Recorder::Counters>, ceil_div(a.rows, Count{rows_of_block<S>}), S::block);
      });
    }
    constexpr KernelTiling tiling = softmax_tilings.front();
    constexpr int threads = tiling.threads;
    using S = Shape<T, threads, tiling.block_k / threads / elements_of_chunk<T>, 1024>;
    start(softmax<S, typename Recorder::Counters>, a.rows, threads);
  });
}

}  // namespace

void launch_softmax(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_softmax(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(softmax_operands(point), stream);
}

}  // namespace tilemeter::kernels
