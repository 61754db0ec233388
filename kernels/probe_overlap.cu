#include <cmath>

#include "kernels/probe_analysis.hpp"
#include "kernels/probe_functions.hpp"
#include "kernels/probe_scalar.cuh"
#include "kernels/probe_wgmma.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int tensor_threads = 128;
constexpr int scalar_threads = 256;
constexpr int all_threads = tensor_threads + scalar_threads;
constexpr int wgmma_capability = 90;

/// Clocks that each kind of work takes alone.
constexpr double alone_clocks = 100e3;

struct PairSpans {
  Span tensor;
  Span scalar;
};

/// A barrier of the whole block that the two kinds of work reach from different places.
__device__ void meet() { asm volatile("barrier.cta.sync.aligned 1, %0;" ::"n"(all_threads) : "memory"); }

template <class Work>
__device__ void run_part(const Work& parameters, int rank, int threads, int iterations, SharedSpan& span) {
  Work work = parameters;
  work.prepare(rank, threads);
  meet();
  run_timed(work, rank, iterations, span);
  meet();
  work.finish(rank, static_cast<int>(blockIdx.x));
}

/// The first threads of a block do tensor work, the others scalar work, at the same time.
template <class Tensor, class Scalar>
__global__ void __launch_bounds__(all_threads)
    timed_pair(const Tensor tensor, int tensor_iterations, const Scalar scalar, int scalar_iterations,
               PairSpans* spans) {
  __shared__ SharedSpan tensor_span, scalar_span;
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    tensor_span.reset();
    scalar_span.reset();
  }
  __syncthreads();
  if (thread < tensor_threads) {
    run_part(tensor, thread, tensor_threads, tensor_iterations, tensor_span);
  } else {
    run_part(scalar, thread - tensor_threads, scalar_threads, scalar_iterations, scalar_span);
  }
  __syncthreads();
  if (thread == 0) spans[blockIdx.x] = {tensor_span.value(), scalar_span.value()};
}

/// Clocks of a launch: medians over its blocks.
struct PairClocks {
  double tensor = 0;
  double scalar = 0;
};

template <class Tensor, class Scalar>
class Pair {
 public:
  explicit Pair(const ProbeSettings& settings)
      : blocks_(settings.gpu.sm_count),
        products_(static_cast<std::size_t>(blocks_) * products_of_block),
        distances_(static_cast<std::size_t>(blocks_) * all_threads),
        spans_(static_cast<std::size_t>(blocks_)) {
    TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    // The distances of a block are those of its scalar threads; the others stay 0.
    TILEMETER_CHECK(cudaMemset(distances_.data(), 0, distances_.bytes()));
    tensor_.results = products_.data();
    scalar_.results = distances_.data();
  }

  /// Runs both and checks both results.
  PairClocks run(int tensor_iterations, int scalar_iterations) {
    kernel<<<static_cast<unsigned>(blocks_), all_threads, shared>>>(tensor_, tensor_iterations, scalar_,
                                                                    scalar_iterations, spans_.data());
    TILEMETER_CHECK(cudaGetLastError());
    TILEMETER_CHECK(cudaDeviceSynchronize());
    if (tensor_iterations > 0) check_products(tensor_iterations);
    if (scalar_iterations > 0) require_ends(distances_, "probe.overlap");
    std::vector<double> tensor, scalar;
    for (const PairSpans& span : spans_.to_host()) {
      tensor.push_back(static_cast<double>(span.tensor.clocks()));
      scalar.push_back(static_cast<double>(span.scalar.clocks()));
    }
    return {quantile_of(tensor, 0.5, "clocks"), quantile_of(scalar, 0.5, "clocks")};
  }

 private:
  static constexpr auto kernel = timed_pair<Tensor, Scalar>;
  static constexpr int shared = Tensor::shared_bytes;
  static constexpr std::size_t product_size = static_cast<std::size_t>(Tensor::m) * Tensor::n;
  static constexpr std::size_t products_of_block = product_size * Tensor::products_of(tensor_threads);

  void check_products(int iterations) {
    const std::vector<float> found = products_.to_host();
    const std::vector<double> expected = Tensor::expected(iterations);
    for (std::size_t at = 0; at < found.size(); at += product_size) {
      require_product(std::span(found).subspan(at, product_size), expected, "probe.overlap");
    }
  }

  Count blocks_;
  Buffer<float> products_;
  Buffer<float> distances_;
  Buffer<PairSpans> spans_;
  Tensor tensor_;
  Scalar scalar_;
};

int iterations_for(double one) { return std::max(1, static_cast<int>(std::lround(alone_clocks / one))); }

template <class Tensor, class Scalar>
void add_pair(std::vector<Figure>& figures, const std::string& tensor, const std::string& scalar,
              const ProbeSettings& settings) {
  Pair<Tensor, Scalar> pair(settings);
  constexpr int some = 40;
  const double tensor_step = pair.run(some, 0).tensor / some, scalar_step = pair.run(0, some).scalar / some;
  const int tensor_steps = iterations_for(tensor_step), scalar_steps = iterations_for(scalar_step);
  std::vector<double> tensor_alone, tensor_beside, scalar_alone, scalar_beside;
  for (Count i = 0; i < settings.repetitions; ++i) {
    tensor_alone.push_back(pair.run(tensor_steps, 0).tensor);
    scalar_alone.push_back(pair.run(0, scalar_steps).scalar);
    const PairClocks both = pair.run(tensor_steps, scalar_steps);
    tensor_beside.push_back(both.tensor);
    scalar_beside.push_back(both.scalar);
  }
  figures.push_back(figure_of("probe.overlap." + tensor + "_beside_" + scalar, slowdowns(tensor_beside, tensor_alone)));
  figures.push_back(figure_of("probe.overlap." + scalar + "_beside_" + tensor, slowdowns(scalar_beside, scalar_alone)));
}

}  // namespace

std::vector<Figure> probe_overlap(const ProbeSettings& settings) {
  using Mma = MmaChains<__nv_bfloat16, 8>;
  using Asynchronous = WgmmaProducts<__nv_bfloat16, 128, ASource::shared, BOrder::k_innermost>;
  std::vector<Figure> figures;
  add_pair<Mma, ExpChains>(figures, "mma", "exp", settings);
  add_pair<Mma, FmaChains>(figures, "mma", "fma", settings);
  add_pair<Mma, MaxChains>(figures, "mma", "max", settings);
  if (settings.gpu.capability == wgmma_capability) {
    add_pair<Asynchronous, ExpChains>(figures, "wgmma", "exp", settings);
    add_pair<Asynchronous, FmaChains>(figures, "wgmma", "fma", settings);
    add_pair<Asynchronous, MaxChains>(figures, "wgmma", "max", settings);
  }
  return figures;
}

}  // namespace tilemeter::kernels
