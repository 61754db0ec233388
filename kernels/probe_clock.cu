#include <chrono>
#include <functional>
#include <memory>

#include "kernels/nvml.hpp"
#include "kernels/probe_functions.hpp"
#include "kernels/probe_memory.cuh"
#include "kernels/probe_scalar.cuh"
#include "kernels/probe_wgmma.cuh"
#include "model/quantity.hpp"

namespace tilemeter::kernels {
namespace {

constexpr int wgmma_capability = 90;
constexpr Seconds chunk{0.02};    ///< between two looks at the clock
constexpr double settling = 0.5;  ///< share of the time that is left out

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Enqueues a launch of a load, whose blocks leave what they saw: a Span for each SM at most.
using Load = std::function<void(Span*)>;

/// What the second half of a long run saw.
struct Sustained {
  std::vector<double> hertz;         ///< of an SM, by its own clock
  std::vector<ClockSample> samples;  ///< of the driver; empty without NVML
  std::string missing;               ///< why there are none
};

std::unique_ptr<ClockSampler> sampler_of(const GpuInfo& gpu, std::string& missing) {
  try {
    return std::make_unique<ClockSampler>(Nvml(gpu.bus_id));
  } catch (const NvmlError& error) {
    missing = error.what();
    return nullptr;
  }
}

double seconds_of(const Load& load, Buffer<Span>& spans) {
  const double begin = now();
  load(spans.data());
  TILEMETER_CHECK(cudaDeviceSynchronize());
  return now() - begin;
}

/// Launches back to back until `duration` is over; between chunks the host looks, which takes microseconds.
Sustained sustain(const Load& load, const GpuInfo& gpu, Seconds duration) {
  Buffer<Span> spans(static_cast<std::size_t>(gpu.sm_count));
  seconds_of(load, spans);
  const int launches = std::max(1, static_cast<int>(chunk.value / seconds_of(load, spans)));
  Sustained sustained;
  const auto sampler = sampler_of(gpu, sustained.missing);
  const double begin = now();
  while (now() - begin < duration.value) {
    for (int i = 0; i < launches; ++i) load(spans.data());
    const Span span = spans.to_host()[0];
    if (now() - begin < settling * duration.value) continue;
    sustained.hertz.push_back(1e9 * static_cast<double>(span.clocks()) / static_cast<double>(span.nanoseconds));
  }
  if (!sampler) return sustained;
  for (const ClockSample& sample : sampler->stop()) {
    if (sample.seconds >= settling * duration.value) sustained.samples.push_back(sample);
  }
  return sustained;
}

std::string note_of(const ClockSummary& summary) {
  std::string note = "clock reasons: " + (summary.reasons ? clock_reasons_text(*summary.reasons) : "not told");
  if (summary.sm_hertz) note += "; NVML reads " + to_text(Hertz{*summary.sm_hertz});
  if (summary.memory_hertz) note += ", memory " + to_text(Hertz{*summary.memory_hertz});
  return note;
}

/// The driver's power, which it averages over a second, in the last of the time.
std::vector<double> watts_of(std::span<const ClockSample> samples, Seconds duration) {
  constexpr double last = 0.85;
  std::vector<double> watts;
  for (const ClockSample& sample : samples) {
    if (sample.watts && sample.seconds >= last * duration.value) watts.push_back(*sample.watts);
  }
  return watts;
}

/// The clock, and the power where the driver tells it.
void add_figures(std::vector<Figure>& figures, const std::string& name, const Load& load,
                 const ProbeSettings& settings) {
  const Sustained sustained = sustain(load, settings.gpu, settings.sustained);
  Figure clock = figure_of("probe.clock." + name, sustained.hertz);
  clock.clock = Hertz{clock.value};
  clock.note = sustained.missing;
  if (!sustained.samples.empty()) clock.note = note_of(summarise_clocks(sustained.samples));
  figures.push_back(clock);
  const std::vector<double> watts = watts_of(sustained.samples, settings.sustained);
  if (watts.size() < 2) return;
  figures.push_back(figure_of("probe.power." + name, watts, clock.clock));
}

template <class Work>
Load cycles_load(const Work& work, const CycleLaunch& launch) {
  const auto kernel = timed_cycles<Work>;
  TILEMETER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared));
  return [=](Span* spans) {
    kernel<<<static_cast<unsigned>(launch.blocks), launch.threads, launch.shared>>>(work, launch.iterations, spans);
    TILEMETER_CHECK(cudaGetLastError());
  };
}

template <class Chains>
void add_scalar(std::vector<Figure>& figures, const std::string& name, const ProbeSettings& settings) {
  constexpr int threads = 512, iterations = 1000;
  Buffer<float> distances(static_cast<std::size_t>(settings.gpu.sm_count) * threads);
  Chains work;
  work.results = distances.data();
  const Load load = cycles_load(work, {settings.gpu.sm_count, threads, 0, iterations});
  add_figures(figures, name, load, settings);
  require_ends(distances, name.c_str());
}

template <class Products>
void add_products(std::vector<Figure>& figures, const std::string& name, int threads, int iterations,
                  const ProbeSettings& settings) {
  constexpr std::size_t size = Products::m * Products::n;
  const auto count = static_cast<std::size_t>(settings.gpu.sm_count * Products::products_of(threads));
  Buffer<float> results(count * size);
  Products work;
  work.results = results.data();
  const Load load = cycles_load(work, {settings.gpu.sm_count, threads, Products::shared_bytes, iterations});
  add_figures(figures, name, load, settings);
  require_product(std::span<const float>(results.to_host()).first(size), Products::expected(iterations), name);
}

void add_memory(std::vector<Figure>& figures, const ProbeSettings& settings) {
  constexpr Bytes size(Count{2} << 30);
  constexpr int passes = 2;  // more than one, so that a block runs for milliseconds
  Words words(size);
  words.write(Bytes(0), size);
  words.take_sum();
  unsigned launches = 0;
  const Load load = [&](Span* spans) {
    words.read(Bytes(0), size, passes, nullptr, spans);
    ++launches;
  };
  add_figures(figures, "hbm", load, settings);
  require_sum(words.take_sum(), launches * passes * expected_sum(Bytes(0), size), "probe.clock.hbm");
}

}  // namespace

std::vector<Figure> probe_clock(const ProbeSettings& settings) {
  std::vector<Figure> figures;
  if (settings.gpu.capability == wgmma_capability) {
    using Products = WgmmaProducts<__nv_bfloat16, 256, ASource::shared, BOrder::k_innermost>;
    add_products<Products>(figures, "wgmma", 256, 200, settings);
  }
  add_products<MmaChains<__nv_bfloat16, 4>>(figures, "mma", 512, 800, settings);
  add_scalar<FmaChains>(figures, "fma", settings);
  add_scalar<ExpChains>(figures, "exp", settings);
  add_memory(figures, settings);
  return figures;
}

}  // namespace tilemeter::kernels
