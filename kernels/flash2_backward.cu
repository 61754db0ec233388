#include "kernels/flash2_backward.hpp"

#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/flash2_backward_block.cuh"
#include "kernels/gradient_passes.hpp"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

using namespace flash2_backward_steps;

/// Whether the kernel for dK and dV adds to dQ, or leaves it to another.
enum class QueryGradient { added, elsewhere };

/// A key tile's way past the row blocks that visit it: dK and dV stay in registers, dQ is added to memory.
template <class S, QueryGradient dq, class Counters>
struct KeyStep {
  using T = typename S::T;
  using KeySums = typename S::KeyPart::Sums;

  const Flash2BackwardArguments<T>& a;
  Tiles<S> tiles;
  const Place<T> place;
  Counters& counters;
  int key_tile;
  int turn;  ///< of all visits of the block

  __device__ Count key_begin() const { return Count{key_tile} * S::block_k; }

  __device__ void run() {
    const Range blocks = visiting_row_blocks(a.visible, key_tile, a.row_blocks, S::block_q, S::block_k);
    const int first = static_cast<int>(blocks.first), last = static_cast<int>(blocks.last);
    if (first < last) {
      load_keys<S>(tiles.k(), tiles.v(), place, key_tile, counters);
      load_queries<S>(tiles, turn % 2, a, place.stream(), first, counters);
      arrive(tiles, turn % 2);
    }
    KeySums dk, dv;
    clear(dk);
    clear(dv);
    for (int row_block = first; row_block < last; ++row_block, ++turn) {
      visit(dk, dv, row_block, last);
      counters.tile();
    }
    store(dk, dv);
  }

  /// P and dS have two stages, as Q and dO have: who writes them finds that all warps have read those of the last visit
  /// but one, so that one barrier a visit will do.
  __device__ void visit(KeySums& dk, KeySums& dv, int row_block, int last) {
    const Count row_begin = Count{row_block} * S::block_q;
    const int stage = turn % 2;
    tiles.forget();
    tiles.full(stage).wait(turn / 2 % 2);
    put_weights(row_begin, stage);
    __syncthreads();
    if (row_block + 1 < last) {
      load_queries<S>(tiles, stage ^ 1, a, place.stream(), row_block + 1, counters);
      arrive(tiles, stage ^ 1);
    }
    if constexpr (dq == QueryGradient::added) {
      add_all_gradients(dk, dv, row_begin, stage);
    } else {
      add_key_gradients<S>(dv, tiles.p(stage), tiles.d_o(stage));
      add_key_gradients<S>(dk, tiles.ds(stage), tiles.q(stage));
    }
  }

  __device__ void add_all_gradients(KeySums& dk, KeySums& dv, Count row_begin, int stage) {
    with_query_gradient<0>(row_begin, stage,
                           [&](auto between) { add_key_gradients<S>(dv, tiles.p(stage), tiles.d_o(stage), between); });
    const auto add_dk = [&](auto between) { add_key_gradients<S>(dk, tiles.ds(stage), tiles.q(stage), between); };
    if constexpr (S::query_parts == 2) {
      with_query_gradient<1>(row_begin, stage, add_dk);
    } else {
      add_dk(Nothing());
    }
  }

  /// A part of dQ. Its additions go out between those of another product: all at once they would hold up the reads of
  /// operands.
  template <int part, class Product>
  __device__ void with_query_gradient(Count row_begin, int stage, Product product) {
    constexpr int additions = LanePieces<S>::number;
    static_assert(2 * additions <= S::block_q / 16 * S::KeyPart::pairs);
    typename S::QueryPart::Sums sums;
    clear(sums);
    add_query_gradient<S>(sums, tiles.ds(stage), tiles.k(), part);
    float* to = place.added_dq(key_tile, row_begin * S::head_dim + part * S::head_dim / S::query_parts);
    QueryGradientToMemory<S, Counters> out(to, a.seq_q - row_begin, sums, counters);
    product([&](int i) {
      if (i % 2 == 0 && i / 2 < additions) out.add(i / 2);
    });
  }

  /// P and dS of the visit, in shared memory.
  __device__ void put_weights(Count row_begin, int stage) {
    using Part = typename S::ScorePart;
    typename Part::Sums sums;
    RoundedSums<Part> p, ds;
    multiply_rows<S>(sums, tiles.q(stage), tiles.k());
    mask<S>(sums, a.visible, row_begin, key_begin());
    probabilities<S>(sums, tiles.lse(stage), a.scale * log2_of_e);
    round_sums<T, Part>(p, sums);
    put<Part>(tiles.p(stage), p);
    multiply_rows<S>(sums, tiles.d_o(stage), tiles.v());
    score_gradients<S>(sums, p, tiles.d(stage));
    round_sums<T, Part>(ds, sums);
    put<Part>(tiles.ds(stage), ds);
  }

  /// dK and dV leave through the memory of K and V.
  __device__ void store(const KeySums& dk, const KeySums& dv) {
    const Count to = (place.stream() * a.seq_k + key_begin()) * S::head_dim, valid = a.seq_k - key_begin();
    const bool expands = a.group > 1;
    __syncthreads();
    put_gradients<S>(tiles, dk, dv, a.scale);
    __syncthreads();
    store_rows<S>(a.dk + to, tiles.k(), valid, expands ? TensorName::dKx : TensorName::dK, counters);
    store_rows<S>(a.dv + to, tiles.v(), valid, expands ? TensorName::dVx : TensorName::dV, counters);
    __syncthreads();
  }
};

/// One thread block takes one key tile of one stream, or, where dQ has a buffer for each block, some.
template <class S, QueryGradient dq, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash2_backward_keys(const __grid_constant__ Flash2BackwardArguments<typename S::T> a,
                         typename Counters::Records records) {
  extern __shared__ __align__(128) unsigned char flash2_backward_shared[];
  const Tiles<S> tiles{shared_address(flash2_backward_shared)};
  init_barriers<S>(tiles);
  const Place<typename S::T> place{a};
  Counters counters;
  KeyStep<S, dq, Counters> step{a, tiles, place, counters, place.first(), 0};
  for (; step.key_tile < a.key_tiles; step.key_tile += a.blocks_of_stream) step.run();
  counters.flush(records);
}

/// A row block's way past the key tiles that it visits: dQ stays in registers.
template <class S, class Counters>
struct RowStep {
  using T = typename S::T;
  using QuerySums = typename S::QueryPart::Sums;

  const Flash2BackwardArguments<T>& a;
  RowTiles<S> tiles;
  const Place<T> place;
  Counters& counters;
  int row_block;

  __device__ Count row_begin() const { return Count{row_block} * S::block_q; }

  __device__ void run() {
    const Range visited = visited_tiles(a.visible, row_begin(), S::block_q, S::block_k);
    const int first = static_cast<int>(visited.first), last = static_cast<int>(visited.last);
    if (first < last) {
      load_queries<S>(tiles, 0, a, place.stream(), row_block, counters);
      load_keys<S>(tiles.k(0), tiles.v(0), place, first, counters);
      arrive(tiles, 0);
    }
    QuerySums sums;
    clear(sums);
    for (int key_tile = first; key_tile < last; ++key_tile) visit(sums, key_tile, key_tile - first, last);
    store(sums);
  }

  __device__ void visit(QuerySums& sums, int key_tile, int turn, int last) {
    const int stage = turn % 2;
    tiles.forget();
    tiles.full(stage).wait(turn / 2 % 2);
    put_weights(Count{key_tile} * S::block_k, stage);
    __syncthreads();
    if (key_tile + 1 < last) {
      load_keys<S>(tiles.k(stage ^ 1), tiles.v(stage ^ 1), place, key_tile + 1, counters);
      arrive(tiles, stage ^ 1);
    }
    add_query_gradient<S>(sums, tiles.ds(stage), tiles.k(stage));
  }

  /// dS of the visit, in shared memory.
  __device__ void put_weights(Count key_begin, int stage) {
    using Part = typename S::ScorePart;
    typename Part::Sums sums;
    RoundedSums<Part> p, ds;
    multiply_rows<S>(sums, tiles.q(0), tiles.k(stage));
    mask<S>(sums, a.visible, row_begin(), key_begin);
    probabilities<S>(sums, tiles.lse(0), a.scale * log2_of_e);
    round_sums<T, Part>(p, sums);
    multiply_rows<S>(sums, tiles.d_o(0), tiles.v(stage));
    score_gradients<S>(sums, p, tiles.d(0));
    round_sums<T, Part>(ds, sums);
    put<Part>(tiles.ds(stage), ds);
  }

  /// dQ leaves through the memory of Q.
  __device__ void store(const QuerySums& sums) {
    using Part = typename S::QueryPart;
    RoundedSums<Part> rounded;
    round_sums<T, Part>(rounded, sums, a.scale);
    __syncthreads();
    put<Part>(tiles.q(0), rounded);
    __syncthreads();
    const Count to = (place.stream() * a.seq_q + row_begin()) * S::head_dim;
    store_rows<S>(a.dq + to, tiles.q(0), a.seq_q - row_begin(), TensorName::dQ, counters);
  }
};

/// One thread block takes a row block of a stream; blocks_of_stream is the number of row blocks.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    flash2_backward_rows(const __grid_constant__ Flash2BackwardArguments<typename S::T> a,
                         typename Counters::Records records) {
  extern __shared__ __align__(128) unsigned char flash2_backward_shared[];
  const RowTiles<S> tiles{shared_address(flash2_backward_shared)};
  init_barriers<S>(tiles);
  const Place<typename S::T> place{a};
  const int row_block = a.longest_first ? a.row_blocks - 1 - place.first() : place.first();
  Counters counters;
  RowStep<S, Counters>{a, tiles, place, counters, row_block}.run();
  counters.flush(records);
}

template <class T>
Flash2BackwardArguments<T> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  const bool expands = expands_key_gradients(problem);
  return {.q = tensors.at<const T>(TensorName::Q),
          .k = tensors.at<const T>(TensorName::K),
          .v = tensors.at<const T>(TensorName::V),
          .d_o = tensors.at<const T>(TensorName::dO),
          .lse = tensors.at<const float>(TensorName::LSE),
          .d = tensors.at<const float>(TensorName::D),
          .added_dq = tensors.at<float>(TensorName::dQacc),
          .dq = tensors.at<T>(TensorName::dQ),
          .dk = tensors.at<T>(expands ? TensorName::dKx : TensorName::dK),
          .dv = tensors.at<T>(expands ? TensorName::dVx : TensorName::dV),
          .visible = visibility_of(problem, point.tiling.block_k),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .stride_of_dq = problem.seq_q * problem.head_dim,
          .row_blocks = static_cast<int>(ceil_div(problem.seq_q, point.tiling.block_q)),
          .key_tiles = static_cast<int>(ceil_div(problem.seq_k, point.tiling.block_k)),
          .blocks_of_stream = static_cast<unsigned>(flash2_backward_blocks_of_stream(point)),
          .streams = static_cast<unsigned>(problem.streams()),
          .group = static_cast<int>(problem.group()),
          .buffers = static_cast<int>(accumulation_buffers(point)),
          .longest_first = problem.mask.kind == MaskKind::causal || problem.mask.kind == MaskKind::causal_top_left,
          .scale = gradient_scale(problem)};
}

/// The kernels that work on tiles.
template <class S, class Recorder>
class Launches {
  using T = typename S::T;
  using Counters = typename Recorder::Counters;

 public:
  Launches(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder)
      : streams_(point.problem.streams()), stream_(stream), recorder_(recorder), all_(arguments<T>(tensors, point)) {}

  template <QueryGradient dq>
  void keys() {
    launch<Tiles<S>::size>(flash2_backward_keys<S, dq, Counters>);
  }
  void rows() {
    all_.blocks_of_stream = all_.row_blocks;
    launch<RowTiles<S>::size>(flash2_backward_rows<S, Counters>);
  }

 private:
  template <int shared, class Function>
  void launch(Function kernel) {
    const Count blocks = streams_ * all_.blocks_of_stream;
    if (blocks == 0) return;
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream_>>>(all_, recorder_.records(blocks));
    TILEMETER_CHECK(cudaGetLastError());
  }

  Count streams_;
  Stream stream_;
  Recorder& recorder_;
  Flash2BackwardArguments<T> all_;
};

template <class S, class Recorder>
void run_shape(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  Launches<S, Recorder> launches(tensors, point, stream, recorder);
  if constexpr (S::head_dim == flash2_backward_two_kernels_head_dim) {
    if (point.options.variant == Variant::two_kernels) {
      launches.template keys<QueryGradient::elsewhere>();
      launches.rows();
      return;
    }
  }
  launches.template keys<QueryGradient::added>();
  launch_gradient_postprocess(tensors, point, gradient_scale(point.problem), stream, recorder);
}

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("flash2_backward"), tensors, point);
  launch_gradient_preprocess(tensors, point, stream, recorder);
  with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    with_tiling<flash2_backward_tilings>(point, [&](auto index) {
      constexpr Flash2BackwardBuild build = flash2_backward_builds[index];
      constexpr KernelTiling tiling = build.tiling;
      using S = GradientShape<T, static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_k),
                              static_cast<int>(tiling.head_dim), build.warps>;
      static_assert(Bytes(Tiles<S>::size) == tiling.shared && RowTiles<S>::size <= Tiles<S>::size);
      run_shape<S>(tensors, point, stream, recorder);
    });
  });
  launch_gradient_reduction(tensors, point, stream, recorder);
}

}  // namespace

void launch_flash2_backward(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_flash2_backward(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(flash2_backward_operands(point), stream);
}

}  // namespace tilemeter::kernels
