#include "kernels/probe_wgmma.cuh"

#include <utility>

#include "kernels/probe_functions.hpp"

namespace tilemeter::kernels {
namespace {

constexpr int iterations = 50;
constexpr int needed_capability = 90;

template <class Products>
void require_products(const Buffer<float>& results, const std::string& what) {
  const std::vector<float> found = results.to_host();
  const std::vector<double> expected = Products::expected(iterations);
  for (std::size_t at = 0; at < found.size(); at += expected.size()) {
    require_product(std::span(found).subspan(at, expected.size()), expected, what);
  }
}

template <class Products>
Figure rate_with(int threads, const std::string& key, const ProbeSettings& settings) {
  const Count products = settings.gpu.sm_count * Products::products_of(threads);
  Buffer<float> results(static_cast<std::size_t>(products) * Products::m * Products::n);
  results.poison();
  Products work;
  work.results = results.data();
  const CycleLaunch launch{
      .blocks = settings.gpu.sm_count, .threads = threads, .shared = Products::shared_bytes, .iterations = iterations};
  const CycleSamples samples = measure_cycles(work, launch, settings.repetitions);
  require_products<Products>(results, key);
  Figure figure = figure_of(key, per_clock(Products::flops(threads, iterations), samples), clock_of(samples));
  figure.note = threads == Products::warpgroup ? "1 warpgroup" : "2 warpgroups";
  return figure;
}

/// The better of one and two warpgroups.
template <class Products>
Figure rate(const std::string& key, const ProbeSettings& settings) {
  const Figure one = rate_with<Products>(Products::warpgroup, key, settings);
  const Figure two = rate_with<Products>(2 * Products::warpgroup, key, settings);
  return one.value >= two.value ? one : two;
}

template <int N>
void add_rates(std::vector<Figure>& figures, const ProbeSettings& settings) {
  using enum ASource;
  using enum BOrder;
  using T = __nv_bfloat16;
  const std::string key = "probe.wgmma.bf16.n" + std::to_string(N) + ".";
  figures.push_back(rate<WgmmaProducts<T, N, shared, k_innermost>>(key + "ss", settings));
  figures.push_back(rate<WgmmaProducts<T, N, registers, k_innermost>>(key + "rs", settings));
  figures.push_back(rate<WgmmaProducts<T, N, shared, n_innermost>>(key + "ss_mn", settings));
  figures.push_back(rate<WgmmaProducts<T, N, registers, n_innermost>>(key + "rs_mn", settings));
}

}  // namespace

std::vector<Figure> probe_wgmma(const ProbeSettings& settings) {
  if (settings.gpu.capability != needed_capability) {
    throw ProbeUnavailable("wgmma is an instruction of compute capability 9.0 alone");
  }
  std::vector<Figure> figures;
  [&]<int... N>(std::integer_sequence<int, N...>) {
    (add_rates<N>(figures, settings), ...);
  }(std::integer_sequence<int, 8, 16, 32, 64, 96, 128, 192, 256>());
  using Half = WgmmaProducts<__half, 256, ASource::shared, BOrder::k_innermost>;
  figures.push_back(rate<Half>("probe.wgmma.fp16.n256.ss", settings));
  return figures;
}

}  // namespace tilemeter::kernels
