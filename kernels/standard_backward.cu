#include "kernels/standard_backward.hpp"

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/gradient_passes.hpp"
#include "kernels/gradient_steps.cuh"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "kernels/standard.cuh"
#include "model/closed_form/gradients.hpp"

namespace tilemeter::kernels {
namespace {

using namespace gradient_steps;
using standard_steps::copy_part;
using standard_steps::Part;
using standard_steps::store_part;
using Layout = StandardBackwardLayout;

template <class T, int HeadDim>
using Shape = GradientShape<T, Layout::tile, Layout::tile, HeadDim,
                            GradientWarps{.scores = 4, .key_gradients = 4, .query_gradient = 4}>;

/// The block's shared memory: an operand as a whole, tiles of weights, and a tile of the other operand or the result.
template <class S>
struct Tiles {
  static constexpr int row = S::QueryTile::size, score = S::ScoreTile::size;
  static constexpr int size = static_cast<int>(Layout::resident_bytes) + Layout::stages * score + row;

  unsigned base;

  __device__ typename S::QueryTile resident(int tile) const { return {base + tile * row}; }
  __device__ typename S::ScoreTile weights(int stage) const {
    return {base + static_cast<int>(Layout::resident_bytes) + stage * score};
  }
  __device__ typename S::QueryTile rows() const { return {weights(Layout::stages).base}; }
};

/// Starts the copies of all `length` rows of an operand, in tiles.
template <class S, class Counters>
__device__ void load_resident(const Tiles<S>& tiles, const typename S::T* from, Count length, TensorName tensor,
                              Counters& counters) {
  for (Count begin = 0; begin < length; begin += Layout::tile) {
    copy_rows<S::threads>(tiles.resident(static_cast<int>(begin / Layout::tile)), from + begin * S::head_dim,
                          S::head_dim, length - begin, tensor, counters);
  }
  commit_copies();
}

/// A tile of a matrix of `rows` x `columns` without gaps, from a row and a column on.
template <class T>
__device__ Part<T> tile_of(T* matrix, Count rows, Count columns, Count row, Count column) {
  return {matrix + row * columns + column, columns, rows - row, columns - column, columns % chunk_elements == 0};
}

template <class T>
struct ScoreArguments {
  const T* d_o;
  const T* v;
  T* dp;
  Count seq_q;
  Count seq_k;
  int group;  ///< query heads per K/V head
};

/// dP = dO V^T of a stream, V on chip.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    standard_backward_scores(const __grid_constant__ ScoreArguments<typename S::T> a,
                             typename Counters::Records records) {
  using T = typename S::T;
  using Warp = typename S::ScorePart;
  extern __shared__ __align__(128) unsigned char standard_backward_shared[];
  const Tiles<S> tiles{shared_address(standard_backward_shared)};
  const Count stream = blockIdx.x;
  const T* d_o = a.d_o + stream * a.seq_q * S::head_dim;
  T* dp = a.dp + stream * a.seq_q * a.seq_k;
  Counters counters;
  load_resident(tiles, a.v + stream / a.group * a.seq_k * S::head_dim, a.seq_k, TensorName::V, counters);
  for (Count row = 0; row < a.seq_q; row += Layout::tile) {
    __syncthreads();
    copy_rows<S::threads>(tiles.rows(), d_o + row * S::head_dim, S::head_dim, a.seq_q - row, TensorName::dO, counters);
    commit_copies();
    wait_for_copies<0>();
    __syncthreads();
    int stage = 0;
    for (Count key = 0; key < a.seq_k; key += Layout::tile, stage ^= 1) {
      typename Warp::Sums sums;
      RoundedSums<Warp> rounded;
      multiply_rows<S>(sums, tiles.rows(), tiles.resident(static_cast<int>(key / Layout::tile)));
      round_sums<T, Warp>(rounded, sums);
      put<Warp>(tiles.weights(stage), rounded);
      __syncthreads();
      store_part<S::threads>(tiles.weights(stage), tile_of(dp, a.seq_q, a.seq_k, row, key), TensorName::dP, counters);
    }
  }
  counters.flush(records);
}

/// A product of weights: of the matrix itself, or of its transpose.
enum class Weights { as_they_are, transposed };

template <class T>
struct ProductArguments {
  const T* weights;  ///< seq_q x seq_k
  const T* right;    ///< as many rows as the weights have columns (rows, where they are transposed)
  T* out;
  Count seq_q;
  Count seq_k;
  int sharers;  ///< streams that have one `right`
  TensorName weights_name, right_name, out_name;
};

/// One step of `tile` terms of a product.
template <class S, Weights orientation>
__device__ void add_step(typename S::KeyPart::Sums& sums, const typename S::ScoreTile& weights,
                         const typename S::QueryTile& right) {
  if constexpr (orientation == Weights::transposed) {
    add_key_gradients<S>(sums, weights, right);
  } else {
    add_query_gradient<S>(sums, weights, right);
  }
}

/// Weights times `right` of a stream, `right` on chip. The weights pass through a ring of tiles.
template <class S, Weights orientation, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    standard_backward_product(const __grid_constant__ ProductArguments<typename S::T> a,
                              typename Counters::Records records) {
  using T = typename S::T;
  using Warp = typename S::KeyPart;
  constexpr bool transposed = orientation == Weights::transposed;
  extern __shared__ __align__(128) unsigned char standard_backward_shared[];
  const Tiles<S> tiles{shared_address(standard_backward_shared)};
  const Count stream = blockIdx.x, results = transposed ? a.seq_k : a.seq_q, terms = transposed ? a.seq_q : a.seq_k;
  const T* weights = a.weights + stream * a.seq_q * a.seq_k;
  Counters counters;
  load_resident(tiles, a.right + stream / a.sharers * terms * S::head_dim, terms, a.right_name, counters);
  const auto load = [&](Count result, Count term, int stage) {
    if (term < terms) {
      const Count row = transposed ? term : result, column = transposed ? result : term;
      copy_part<S::threads>(tiles.weights(stage), tile_of(weights, a.seq_q, a.seq_k, row, column), a.weights_name,
                            counters);
    }
    commit_copies();
  };
  for (Count result = 0; result < results; result += Layout::tile) {
    __syncthreads();
    for (int stage = 0; stage < Layout::stages - 1; ++stage) load(result, stage * Count{Layout::tile}, stage);
    typename Warp::Sums sums;
    clear(sums);
    int stage = 0;
    for (Count term = 0; term < terms; term += Layout::tile) {
      wait_for_copies<Layout::stages - 2>();
      __syncthreads();
      load(result, term + (Layout::stages - 1) * Count{Layout::tile}, (stage + Layout::stages - 1) % Layout::stages);
      add_step<S, orientation>(sums, tiles.weights(stage), tiles.resident(static_cast<int>(term / Layout::tile)));
      stage = (stage + 1) % Layout::stages;
    }
    RoundedSums<Warp> rounded;
    round_sums<T, Warp>(rounded, sums);
    put<Warp>(tiles.rows(), rounded);
    __syncthreads();
    store_rows<S>(a.out + (stream * results + result) * S::head_dim, tiles.rows(), results - result, a.out_name,
                  counters);
  }
  counters.flush(records);
}

template <class T>
struct RowArguments {
  const T* p;
  const T* dp;
  T* ds;
  Count rows;  ///< of all streams
  Count seq_k;
  float scale;
};

/// A chunk of a row that begins anywhere, zeros past its end.
template <class T, class Counters>
__device__ uint4 load_row_chunk(const T* row, Count column, Count columns, TensorName tensor, Counters& counters) {
  const int valid = valid_elements(columns - column);
  counters.read(tensor, valid);
  if (valid == chunk_elements && columns % chunk_elements == 0) return *reinterpret_cast<const uint4*>(row + column);
  return gather(row + column, valid);
}

/// dS = scale P o (dP - rowsum(P o dP)): a warp a row, which stays in registers. Hidden keys have P = 0, and so dS = 0.
template <class T, class Counters>
__global__ void __launch_bounds__(256)
    standard_backward_rows(const __grid_constant__ RowArguments<T> a, typename Counters::Records records) {
  constexpr int step = 32 * chunk_elements;
  const Count row = (Count{blockIdx.x} * 256 + threadIdx.x) / 32, begin = row * a.seq_k;
  const int first = threadIdx.x % 32 * chunk_elements;
  Counters counters;
  uint4 p[Layout::chunks], dp[Layout::chunks];
  float sum = 0;
  const bool there = row < a.rows;
#pragma unroll
  for (int i = 0; i < Layout::chunks; ++i) {
    const Count columns = there ? a.seq_k : 0;
    p[i] = load_row_chunk(a.p + begin, first + i * step, columns, TensorName::P, counters);
    dp[i] = load_row_chunk(a.dp + begin, first + i * step, columns, TensorName::dP, counters);
    float weights[chunk_elements], gradients[chunk_elements];
    unpack<T>(p[i], weights);
    unpack<T>(dp[i], gradients);
#pragma unroll
    for (int e = 0; e < chunk_elements; ++e) sum = fmaf(weights[e], gradients[e], sum);
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
#pragma unroll
  for (int i = 0; i < Layout::chunks; ++i) {
    const Count column = first + i * step;
    const int valid = there ? valid_elements(a.seq_k - column) : 0;
    float weights[chunk_elements], gradients[chunk_elements];
    unpack<T>(p[i], weights);
    unpack<T>(dp[i], gradients);
#pragma unroll
    for (int e = 0; e < chunk_elements; ++e) weights[e] *= (gradients[e] - sum) * a.scale;
    if (valid == chunk_elements && a.seq_k % chunk_elements == 0) {
      write_chunk(a.ds + begin + column, pack<T>(weights));
    } else if (valid > 0) {
      scatter(a.ds + begin + column, pack<T>(weights), valid);
    }
    counters.write(TensorName::dS, valid);
  }
  counters.flush(records);
}

/// The launches of one computation.
template <class T, int HeadDim, class Recorder>
class Launches {
  using S = Shape<T, HeadDim>;
  using Counters = typename Recorder::Counters;

 public:
  Launches(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder)
      : tensors_(tensors), problem_(point.problem), stream_(stream), recorder_(recorder) {}

  void scores() {
    const ScoreArguments<T> arguments = {.d_o = tensors_.at<const T>(TensorName::dO),
                                         .v = tensors_.at<const T>(TensorName::V),
                                         .dp = tensors_.at<T>(TensorName::dP),
                                         .seq_q = problem_.seq_q,
                                         .seq_k = problem_.seq_k,
                                         .group = static_cast<int>(problem_.group())};
    launch(standard_backward_scores<S, Counters>, arguments);
  }

  void rows() {
    const Count rows = problem_.streams() * problem_.seq_q, blocks = ceil_div(rows, Count{8});
    const RowArguments<T> arguments = {.p = tensors_.at<const T>(TensorName::P),
                                       .dp = tensors_.at<const T>(TensorName::dP),
                                       .ds = tensors_.at<T>(TensorName::dS),
                                       .rows = rows,
                                       .seq_k = problem_.seq_k,
                                       .scale = gradient_scale(problem_)};
    standard_backward_rows<T, Counters>
        <<<static_cast<unsigned>(blocks), 256, 0, stream_>>>(arguments, recorder_.records(blocks));
    TILEMETER_CHECK(cudaGetLastError());
  }

  template <Weights orientation>
  void product(TensorName weights, TensorName right, TensorName out) {
    const bool shared = right == TensorName::K;
    const ProductArguments<T> arguments = {.weights = tensors_.at<const T>(weights),
                                           .right = tensors_.at<const T>(right),
                                           .out = tensors_.at<T>(out),
                                           .seq_q = problem_.seq_q,
                                           .seq_k = problem_.seq_k,
                                           .sharers = shared ? static_cast<int>(problem_.group()) : 1,
                                           .weights_name = weights,
                                           .right_name = right,
                                           .out_name = out};
    launch(standard_backward_product<S, orientation, Counters>, arguments);
  }

 private:
  template <class Function, class Arguments>
  void launch(Function kernel, const Arguments& arguments) {
    constexpr int shared = Tiles<S>::size;
    const Count blocks = problem_.streams();
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<static_cast<unsigned>(blocks), S::threads, shared, stream_>>>(arguments, recorder_.records(blocks));
    TILEMETER_CHECK(cudaGetLastError());
  }

  const Tensors& tensors_;
  const Problem& problem_;
  Stream stream_;
  Recorder& recorder_;
};

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("standard_backward"), tensors, point);
  const bool expands = expands_key_gradients(point.problem);
  with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    with_tiling<standard_backward_tilings>(point, [&](auto index) {
      constexpr KernelTiling tiling = standard_backward_tilings[index];
      constexpr int head_dim = static_cast<int>(tiling.head_dim);
      static_assert(Bytes(Tiles<Shape<T, head_dim>>::size) == tiling.shared);
      Launches<T, head_dim, Recorder> launches(tensors, point, stream, recorder);
      using enum TensorName;
      launches.template product<Weights::transposed>(P, dO, expands ? dVx : dV);
      launches.scores();
      launches.rows();
      launches.template product<Weights::as_they_are>(dS, K, dQ);
      launches.template product<Weights::transposed>(dS, Q, expands ? dKx : dK);
    });
  });
  launch_gradient_reduction(tensors, point, stream, recorder);
}

}  // namespace

void launch_standard_backward(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_standard_backward(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(standard_backward_operands(point), stream);
}

}  // namespace tilemeter::kernels
