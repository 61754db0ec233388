#include "kernels/linear_attention.hpp"

#include <algorithm>

#include "kernels/dispatch.hpp"
#include "kernels/element_type.cuh"
#include "kernels/linear_scores.cuh"
#include "kernels/operands.hpp"
#include "kernels/recording.hpp"
#include "model/closed_form/linear_attention.hpp"

namespace tilemeter::kernels {
namespace {

using linear::Arguments;
using linear::Output;
using linear::State;
using linear::StreamOf;

/// Shared memory of the kernels that sum up the keys, and of those that apply the state.
template <class S>
struct StateMemory {
  static constexpr int stages = 3;
  static constexpr int summing = 2 * stages * S::Chunk::size;
  static constexpr int applying = S::StateTile::size + stages * S::Chunk::size + S::outputs;
};

/// Shared memory of causal chunks: the state, rows of O, and chunks of Q, K and V.
template <class S>
struct ChunkMemory {
  static constexpr int stages = 2;
  static constexpr int size = S::StateTile::size + S::outputs + 3 * stages * S::Chunk::size;
};

/// state = K^T V over all keys.
template <class S, class Counters>
__device__ void sum_up(State<S>& state, const Arguments<typename S::Element>& a,
                       const StreamOf<typename S::Element>& at, unsigned shared, Counters& counters) {
  const auto k_slot = [&](int slot) { return shared + 2 * slot * S::Chunk::size; };
  const auto v_slot = [&](int slot) { return k_slot(slot) + S::Chunk::size; };
  linear::stream_through<StateMemory<S>::stages>(
      (a.seq_k + S::chunk - 1) / S::chunk,
      [&](Count piece, int slot) {
        linear::load_sequence_chunk<S>(k_slot(slot), at.k, a.seq_k, piece, TensorName::K, counters);
        linear::load_sequence_chunk<S>(v_slot(slot), at.v, a.seq_k, piece, TensorName::V, counters);
      },
      [&](Count, int slot) { linear::accumulate_state<S>(state, {k_slot(slot)}, {v_slot(slot)}); });
}

/// O = Q state over all queries; the state is a tile at `shared`.
template <class S, class Counters>
__device__ void apply_all(const Arguments<typename S::Element>& a, const StreamOf<typename S::Element>& at,
                          unsigned shared, Counters& counters) {
  const auto q_slot = [&](int slot) { return shared + S::StateTile::size + slot * S::Chunk::size; };
  linear::stream_through<StateMemory<S>::stages>(
      (a.seq_q + S::chunk - 1) / S::chunk,
      [&](Count piece, int slot) {
        linear::load_sequence_chunk<S>(q_slot(slot), at.q, a.seq_q, piece, TensorName::Q, counters);
      },
      [&](Count piece, int slot) {
        Output<S> o = {};
        linear::apply<S>(o, {q_slot(slot)}, {shared});
        linear::store_output<S>(o, q_slot(StateMemory<S>::stages), at.o, a.seq_q, piece, counters);
      });
}

/// The state of all warps, rounded, as a tile in shared memory.
template <class S>
__device__ void share_state(const State<S>& state, unsigned to) {
  linear::put_sums<typename S::Element>(typename S::StateTile{to}, S::state_row(), S::state_column(), state);
}

/// Q (K^T V) with the state on chip.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 2)
    linear_attention_state(const __grid_constant__ Arguments<typename S::Element> a,
                           typename Counters::Records records) {
  extern __shared__ uint4 shared[];
  const StreamOf<typename S::Element> at(a, S::head_dim);
  Counters counters;
  State<S> state = {};
  sum_up<S>(state, a, at, shared_address(shared), counters);
  share_state<S>(state, shared_address(shared));
  apply_all<S>(a, at, shared_address(shared), counters);
  counters.flush(records);
}

/// KV = K^T V to memory.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 2)
    linear_attention_sum(const __grid_constant__ Arguments<typename S::Element> a, typename Counters::Records records) {
  extern __shared__ uint4 shared[];
  const StreamOf<typename S::Element> at(a, S::head_dim);
  Counters counters;
  State<S> state = {};
  sum_up<S>(state, a, at, shared_address(shared), counters);
  float* const to = a.kv + at.stream * S::head_dim * S::head_dim + S::state_row() * S::head_dim + S::state_column();
#pragma unroll
  for (int i = 0; i < S::state_columns / 8; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = S::lane() / 4 + 8 * half, column = 8 * i + S::lane() % 4 * 2;
      *reinterpret_cast<float2*>(to + row * S::head_dim + column) = {state[i][2 * half], state[i][2 * half + 1]};
      counters.write(TensorName::KV, 2);
    }
  }
  counters.flush(records);
}

/// O = Q KV with KV from memory.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 2)
    linear_attention_apply(const __grid_constant__ Arguments<typename S::Element> a,
                           typename Counters::Records records) {
  using T = typename S::Element;
  extern __shared__ uint4 shared[];
  const StreamOf<T> at(a, S::head_dim);
  const typename S::StateTile tile{shared_address(shared)};
  const auto* from = reinterpret_cast<const float4*>(a.kv + at.stream * S::head_dim * S::head_dim);
  Counters counters;
#pragma unroll 4
  for (int i = threadIdx.x; i < S::head_dim * S::head_dim / 4; i += S::threads) {
    const float4 sums = from[i];
    counters.read(TensorName::KV, 4);
    const int row = i / (S::head_dim / 4), column = i % (S::head_dim / 4) * 4;
    const unsigned to = tile.at(row, column / chunk_elements) + column % chunk_elements * 2;
    store_pair(to, packed<T>(sums.x, sums.y));
    store_pair(to + 4, packed<T>(sums.z, sums.w));
  }
  apply_all<S>(a, at, shared_address(shared), counters);
  counters.flush(records);
}

/// Causal attention chunk by chunk: what lies before the chunk through the state, what lies in it through its scores.
template <class S, class Counters>
__global__ void __launch_bounds__(S::threads, 1)
    linear_attention_chunks(const __grid_constant__ Arguments<typename S::Element> a,
                            typename Counters::Records records) {
  using T = typename S::Element;
  extern __shared__ uint4 shared[];
  const unsigned state_tile = shared_address(shared), outputs = state_tile + S::StateTile::size;
  const auto slot_of = [&](int slot, int operand) {
    return outputs + S::outputs + (3 * slot + operand) * S::Chunk::size;
  };
  const StreamOf<T> at(a, S::head_dim);
  Counters counters;
  State<S> state = {};
  share_state<S>(state, state_tile);
  linear::stream_through<ChunkMemory<S>::stages>(
      (a.seq_q + S::chunk - 1) / S::chunk,
      [&](Count piece, int slot) {
        linear::load_sequence_chunk<S>(slot_of(slot, 0), at.q, a.seq_q, piece, TensorName::Q, counters);
        linear::load_sequence_chunk<S>(slot_of(slot, 1), at.k, a.seq_k, piece, TensorName::K, counters);
        linear::load_sequence_chunk<S>(slot_of(slot, 2), at.v, a.seq_k, piece, TensorName::V, counters);
      },
      [&](Count piece, int slot) {
        const typename S::Chunk q{slot_of(slot, 0)}, k{slot_of(slot, 1)}, v{slot_of(slot, 2)};
        Output<S> o = {};
        linear::apply<S>(o, q, {state_tile});
        linear::ScoreSums<S> s;
        linear::scores<S>(s, q, k);
        linear::clear_hidden<S>(s, a.visible, piece * S::chunk + S::first_row(), piece * S::chunk);
        Fragment p[S::chunk / 16];
#pragma unroll
        for (int i = 0; i < S::chunk / 16; ++i) {
#pragma unroll
          for (int j = 0; j < 4; ++j) p[i][j] = packed<T>(s[2 * i + j / 2][j % 2 * 2], s[2 * i + j / 2][j % 2 * 2 + 1]);
        }
        linear::accumulate<S>(o, p, v);
        linear::accumulate_state<S>(state, k, v);
        linear::store_output<S>(o, outputs, at.o, a.seq_q, piece, counters);
        __syncthreads();  // all warps have applied the state of the chunks before
        share_state<S>(state, state_tile);
      });
  counters.flush(records);
}

template <class T>
Arguments<T> arguments(const Tensors& tensors, const Case& point) {
  const Problem& problem = point.problem;
  return {.q = tensors.at<const T>(TensorName::Q),
          .k = tensors.at<const T>(TensorName::K),
          .v = tensors.at<const T>(TensorName::V),
          .o = tensors.at<T>(TensorName::O),
          .kv = tensors.at<float>(TensorName::KV),
          .s = tensors.at<T>(TensorName::S),
          .visible = visibility_of(problem, linear_chunk),
          .seq_q = problem.seq_q,
          .seq_k = problem.seq_k,
          .group = problem.group()};
}

/// The kernels of a variant, one after the other.
template <class S, class Recorder>
class Launch {
 public:
  using T = typename S::Element;
  using Counters = typename Recorder::Counters;
  Launch(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder)
      : a_(arguments<T>(tensors, point)), blocks_(point.problem.streams()), stream_(stream), recorder_(recorder) {}

  void variant(Variant variant) {
    using Memory = StateMemory<S>;
    using Scores = linear::ScoreMemory<S>;
    switch (variant) {
      case Variant::scores:
        start(linear::linear_attention_scores<S, Counters>, Scores::scores(a_.seq_k));
        return start(linear::linear_attention_output<S, Counters>, Scores::output(a_.seq_k));
      case Variant::state_memory:
        start(linear_attention_sum<S, Counters>, Memory::summing);
        return start(linear_attention_apply<S, Counters>, Memory::applying);
      case Variant::causal_chunks:
        return start(linear_attention_chunks<S, Counters>, ChunkMemory<S>::size);
      default:
        return start(linear_attention_state<S, Counters>, std::max(Memory::summing, Memory::applying));
    }
  }

 private:
  template <class Kernel>
  void start(Kernel kernel, int shared) {
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<static_cast<unsigned>(blocks_), S::threads, static_cast<std::size_t>(shared), stream_>>>(
        a_, recorder_.records(blocks_));
    TILEMETER_CHECK(cudaGetLastError());
  }

  Arguments<T> a_;
  Count blocks_;
  Stream stream_;
  Recorder& recorder_;
};

template <class Recorder>
void run(const Tensors& tensors, const Case& point, Stream stream, Recorder& recorder) {
  require_runnable(kernel_named("linear_attention"), tensors, point);
  const Variant variant = point.options.variant.value_or(linear_attention_variant(point));
  with_half_type(point.problem.dtype, [&]<class T>(ElementType<T>) {
    with_tiling<linear_attention_tilings>(point, [&](auto index) {
      constexpr KernelTiling tiling = linear_attention_tilings[index];
      using S = linear::Shape<T, static_cast<int>(tiling.head_dim)>;
      using Memory = StateMemory<S>;
      static_assert(S::threads == tiling.threads);
      static_assert(std::max(Memory::summing, Memory::applying) == tiling.shared.value());
      Launch<S, Recorder>(tensors, point, stream, recorder).variant(variant);
    });
  });
}

}  // namespace

void launch_linear_attention(const Tensors& tensors, const Case& point, Stream stream) {
  NoRecording recording;
  run(tensors, point, stream, recording);
}

Work count_linear_attention(const Tensors& tensors, const Case& point, Stream stream) {
  Recording recording;
  run(tensors, point, stream, recording);
  return recording.total(linear_operands(point), stream);
}

}  // namespace tilemeter::kernels
