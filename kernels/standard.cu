// All tilings and types, whatever the build leaves out elsewhere: with one of them alone nvcc schedules a kernel of
// this file differently beside its counting twin and without, which the comparison of machine code takes for a counter.
#undef TILEMETER_FIRST_TILING

#include "kernels/standard.hpp"

#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "kernels/standard.cuh"
#include "kernels/standard_softmax.hpp"

namespace tilemeter::kernels {
namespace {

using namespace standard_steps;

template <class T>
struct Arguments {
  const T* q;
  const T* k;
  const T* v;
  T* s;
  const T* p;
  T* o;
  Count seq_q;
  Count seq_k;
  Count head_dim;
  int row_blocks;  ///< of one stream
  int columns;     ///< blocks along the columns of the product
  int step;        ///< terms of the sums that one tile of the algorithm takes
  int group;       ///< query heads per K/V head
  float scale;
};

/// The tile of this thread block: columns fastest, then row blocks, then streams.
struct Place {
  Count stream;
  Count kv_stream;
  Count row;
  Count column;

  template <class T>
  __device__ Place(const Arguments<T>& a, int block_rows, int block_columns) {
    const int row_of_all = blockIdx.x / a.columns;
    stream = row_of_all / a.row_blocks;
    kv_stream = stream / a.group;
    row = Count{row_of_all % a.row_blocks} * block_rows;
    column = Count{blockIdx.x % a.columns} * block_columns;
  }
};

/// S = scale Q K^T: a tile of it a block, along the head dimension in steps of block_d.
template <class G, class Counters>
__global__ void __launch_bounds__(G::threads, G::resident)
    standard_scores(const __grid_constant__ Arguments<typename G::T> a, typename Counters::Records records) {
  using T = typename G::T;
  extern __shared__ __align__(128) unsigned char standard_shared[];
  const Ring<G> ring{shared_address(standard_shared)};
  const Place at(a, G::m, G::n);
  const Part<const T> q{a.q + (at.stream * a.seq_q + at.row) * a.head_dim, a.head_dim, a.seq_q - at.row, a.head_dim};
  const Part<const T> k{a.k + (at.kv_stream * a.seq_k + at.column) * a.head_dim, a.head_dim, a.seq_k - at.column,
                        a.head_dim};
  Counters counters;
  Sums<G> s;
  multiply<G>(s, ring, static_cast<int>(a.head_dim / G::piece), [&](int piece, int stage) {
    const int term = piece * G::piece;
    copy_rows<G::threads>(ring.a(stage), q.from + term, q.stride, q.rows, TensorName::Q, counters);
    copy_rows<G::threads>(ring.b(stage), k.from + term, k.stride, k.rows, TensorName::K, counters);
    if (term % a.step == 0) {
      counters.tile();
    }
  });
  const Part<T> part{a.s + (at.stream * a.seq_q + at.row) * a.seq_k + at.column, a.seq_k, a.seq_q - at.row,
                     a.seq_k - at.column, a.seq_k % chunk_elements == 0};
  store_product<G>(s, ring, a.scale, part, TensorName::S, counters);
  counters.flush(records);
}

/// O = P V: a tile of it a block, along the keys in steps of block_k.
template <class G, class Counters>
__global__ void __launch_bounds__(G::threads, G::resident)
    standard_output(const __grid_constant__ Arguments<typename G::T> a, typename Counters::Records records) {
  using T = typename G::T;
  extern __shared__ __align__(128) unsigned char standard_shared[];
  const Ring<G> ring{shared_address(standard_shared)};
  const Place at(a, G::m, G::n);
  const T* p = a.p + (at.stream * a.seq_q + at.row) * a.seq_k;
  const T* v = a.v + at.kv_stream * a.seq_k * a.head_dim + at.column;
  const bool aligned = a.seq_k % chunk_elements == 0;
  Counters counters;
  Sums<G> o;
  multiply<G>(o, ring, static_cast<int>((a.seq_k + G::piece - 1) / G::piece), [&](int piece, int stage) {
    const Count key = Count{piece} * G::piece;
    const Part<const T> weights{p + key, a.seq_k, a.seq_q - at.row, a.seq_k - key, aligned};
    copy_part<G::threads>(ring.a(stage), weights, TensorName::P, counters);
    copy_rows<G::threads>(ring.b(stage), v + key * a.head_dim, a.head_dim, a.seq_k - key, TensorName::V, counters);
    if (key % a.step == 0) {
      counters.tile();
    }
  });
  const Part<T> part{a.o + (at.stream * a.seq_q + at.row) * a.head_dim + at.column, a.head_dim, a.seq_q - at.row, G::n};
  store_product<G>(o, ring, 1, part, TensorName::O, counters);
  counters.flush(records);
}

template <class T>
Arguments<T> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  return {.q = tensors.at<const T>(TensorName::Q),
          .k = tensors.at<const T>(TensorName::K),
          .v = tensors.at<const T>(TensorName::V),
          .s = tensors.at<T>(TensorName::S),
          .p = tensors.at<const T>(TensorName::P),
          .o = tensors.at<T>(TensorName::O),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .head_dim = problem.head_dim,
          .row_blocks = static_cast<int>(ceil_div(problem.seq_q, point.tiling.block_q)),
          .columns = 1,
          .step = 1,
          .group = static_cast<int>(problem.group()),
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(problem.head_dim)))};
}

/// The launches of one computation.
template <class T, class Recorder>
class Launches {
  using Counters = typename Recorder::Counters;

 public:
  Launches(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder)
      : point_(point), stream_(stream), recorder_(recorder), arguments_(arguments<T>(tensors, point)) {}

  template <class G>
  void scores(int block_d) {
    gemm<G>(standard_scores<G, Counters>, standard_score_blocks(point_), ceil_div(point_.problem.seq_k, G::n), block_d);
  }
  template <class G>
  void output(int block_k) {
    gemm<G>(standard_output<G, Counters>, standard_output_blocks(point_), point_.problem.head_dim_v / G::n, block_k);
  }

 private:
  template <class G, class Function>
  void gemm(Function kernel, Count blocks, Count columns, int step) {
    Arguments<T> all = arguments_;
    all.columns = static_cast<int>(columns);
    all.step = step;
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, G::shared));
    kernel<<<static_cast<unsigned>(blocks), G::threads, G::shared, stream_>>>(all, recorder_.records(blocks));
    TILEMETER_CHECK(cudaGetLastError());
  }

  const Case& point_;
  Stream stream_;
  Recorder& recorder_;
  Arguments<T> arguments_;
};

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("standard"), tensors, point);
  with_tiling<standard_tilings>(point, [&](auto index) {
    constexpr KernelTiling tiling = standard_tilings[index];
    constexpr int block_q = static_cast<int>(tiling.block_q), block_k = static_cast<int>(tiling.block_k),
                  block_d = static_cast<int>(tiling.block_d), piece = StandardLayout::piece;
    with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
      using ScoresGemm = GemmShape<T, block_q, block_k, piece, 2, 2, 2, 2, Layout::column_rows>;
      using OutputGemm = GemmShape<T, block_q, block_d, piece, StandardLayout::stages, tiling.threads / 64, 2,
                                   block_d == 64 ? 3 : 2, Layout::sum_rows>;
      static_assert(OutputGemm::threads == tiling.threads && OutputGemm::shared == tiling.shared.value());
      Launches<T, Recorder> launches(tensors, point, stream, recorder);
      if (point.problem.seq_k > 0) {
        launches.template scores<ScoresGemm>(block_d);
        launch_standard_softmax(tensors, point, stream, recorder);
      }
      launches.template output<OutputGemm>(block_k);
    });
  });
}

}  // namespace

void launch_standard(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_standard(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(standard_operands(point), stream);
}

}  // namespace tilemeter::kernels
