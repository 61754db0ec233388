#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/probe_analysis.hpp"
#include "kernels/probe_functions.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr Count line = 128;  ///< bytes: a step of the chase never shares one
constexpr Count line_words = line / 4;
constexpr int loads = 4096;     ///< timed one by one
constexpr int chained = 16384;  ///< timed together
constexpr int sms_chased = 8;
constexpr Bytes memory_footprint(Count{256} << 20);
constexpr Bytes eviction(Count{256} << 20);
constexpr double cached_share = 0.15;  ///< of the L2, by a footprint that it holds whatever else it does

/// A cycle through all lines of a footprint in random order: line i is followed by next[i].
std::vector<unsigned> random_cycle(Bytes footprint) {
  std::vector<unsigned> next(static_cast<std::size_t>(footprint.value() / line));
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937 random(1);
  for (std::size_t i = next.size() - 1; i > 0; --i) std::swap(next[i], next[random() % i]);  // Sattolo
  return next;
}

/// Where `steps` steps from line 0 lead.
unsigned end_of(const std::vector<unsigned>& next, long long steps) {
  unsigned at = 0;
  for (long long i = 0; i < steps; ++i) at = next[at];
  return at;
}

__global__ void write_cycle(unsigned* words, const unsigned* next, unsigned lines) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x) {
    words[i * line_words] = next[i];
  }
}

__device__ unsigned follow(const unsigned* words, unsigned at) {
  unsigned next;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(next) : "l"(words + at * line_words) : "memory");
  return next;
}

struct Chase {
  unsigned end;      ///< where it ended
  long long clocks;  ///< of `chained` steps
};

/// One thread on SM `sm` follows the cycle: `warm` steps first, then `loads` timed each, then `chained` timed together.
__global__ void chase(const unsigned* words, unsigned sm, long long warm, unsigned* times, Chase* result) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (here != sm) return;
  __shared__ volatile unsigned arrived;
  unsigned at = 0;
  for (long long i = 0; i < warm; ++i) at = follow(words, at);
  for (int i = 0; i < loads; ++i) {
    const long long begin = clocks();
    at = follow(words, at);
    arrived = at;  // waits for the load, so that the clock is read after it
    times[i] = static_cast<unsigned>(clocks() - begin);
  }
  const long long begin = clocks();
  for (int i = 0; i < chained; ++i) at = follow(words, at);
  arrived = at;
  const long long end = clocks();
  *result = {at, end - begin};
}

/// A footprint with its cycle on the GPU.
class Footprint {
 public:
  explicit Footprint(Bytes bytes)
      : next_(random_cycle(bytes)),
        next_on_gpu_(std::span<const unsigned>(next_)),
        words_(static_cast<std::size_t>(bytes.value()) / 4),
        times_(loads),
        result_(1) {}
  Count lines() const { return static_cast<Count>(next_.size()); }

  /// Writes the cycle, from all SMs, so that no half of the L2 holds a copy of the other's lines.
  void write() {
    write_cycle<<<1024, 256>>>(words_.data(), next_on_gpu_.data(), static_cast<unsigned>(next_.size()));
    TILEMETER_CHECK(cudaGetLastError());
  }

  /// Clocks of a step, and those of the single loads, which include a reading of the clock.
  struct Steps {
    double mean;
    std::vector<double> each;
  };
  Steps steps(Count sm_count, unsigned sm, Count warm) {
    chase<<<static_cast<unsigned>(sm_count), 1>>>(words_.data(), sm, warm, times_.data(), result_.data());
    TILEMETER_CHECK(cudaGetLastError());
    const Chase result = result_.to_host()[0];
    if (result.end != end_of(next_, warm + loads + chained)) {
      throw ProbeWrong("latency: the chase did not end where its cycle leads");
    }
    const std::vector<unsigned> times = times_.to_host();
    return {static_cast<double>(result.clocks) / chained, {times.begin(), times.end()}};
  }

 private:
  std::vector<unsigned> next_;
  Buffer<unsigned> next_on_gpu_;
  Buffer<unsigned> words_;
  Buffer<unsigned> times_;
  Buffer<Chase> result_;
};

unsigned sm_of(Count chase_number, Count sm_count) {
  return static_cast<unsigned>(chase_number * sm_count / sms_chased % sm_count);
}

/// Chases through a footprint that the L2 holds, an SM each.
struct L2Chases {
  std::vector<double> means;  ///< of lines that the SM has read before
  std::vector<double> near;   ///< of lines that it reads for the first time: the quicker group
  std::vector<double> far;
  std::vector<double> far_shares;
};

L2Chases chase_l2(const ProbeSettings& settings) {
  const double lines = cached_share * static_cast<double>(settings.gpu.l2_size.value()) / static_cast<double>(line);
  Footprint footprint(Bytes(static_cast<Count>(lines) * line));
  L2Chases chases;
  for (Count i = 0; i < sms_chased; ++i) {
    const unsigned sm = sm_of(i, settings.gpu.sm_count);
    footprint.write();
    const TwoGroups first = two_groups(footprint.steps(settings.gpu.sm_count, sm, 0).each);
    const Footprint::Steps again = footprint.steps(settings.gpu.sm_count, sm, footprint.lines());
    // Reading the clock costs the same for each load: what the single loads take longer than the chained ones.
    const double reading = mean_of(again.each, "latencies") - again.mean;
    chases.means.push_back(again.mean);
    chases.near.push_back(first.near - reading);
    chases.far.push_back(first.far - reading);
    chases.far_shares.push_back(1 - first.near_share);
  }
  return chases;
}

std::vector<double> chase_memory(const ProbeSettings& settings) {
  Footprint footprint(memory_footprint);
  footprint.write();
  Words other(eviction);
  std::vector<double> means;
  for (Count i = 0; i < sms_chased; ++i) {
    other.write(Bytes(0), eviction);
    other.read(Bytes(0), eviction);
    means.push_back(footprint.steps(settings.gpu.sm_count, sm_of(i, settings.gpu.sm_count), 0).mean);
  }
  return means;
}

/// The far figure says how many lines are far.
Figure far_figure(const L2Chases& chases) {
  Figure figure = figure_of("probe.l2.latency_far", chases.far);
  const double share = quantile_of(chases.far_shares, 0.5, "shares of far lines");
  figure.note = std::to_string(std::lround(100 * share)) + " % of the lines";
  return figure;
}

}  // namespace

std::vector<Figure> probe_latency(const ProbeSettings& settings) {
  const L2Chases l2 = chase_l2(settings);
  return {figure_of("probe.hbm.latency", chase_memory(settings)), figure_of("probe.l2.latency", l2.means),
          figure_of("probe.l2.latency_near", l2.near), far_figure(l2)};
}

}  // namespace tilemeter::kernels
