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
constexpr double small_share = 0.15, large_share = 0.6;  ///< of the L2, by the footprints that it holds

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
      : next_(random_cycle(bytes)), words_(static_cast<std::size_t>(bytes.value()) / 4), times_(loads), result_(1) {
    const Buffer<unsigned> next{std::span<const unsigned>(next_)};
    write_cycle<<<1024, 256>>>(words_.data(), next.data(), static_cast<unsigned>(next_.size()));
    TILEMETER_CHECK(cudaGetLastError());
    TILEMETER_CHECK(cudaDeviceSynchronize());
  }
  Count lines() const { return static_cast<Count>(next_.size()); }

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
  Buffer<unsigned> words_;
  Buffer<unsigned> times_;
  Buffer<Chase> result_;
};

unsigned sm_of(Count chase_number, Count sm_count) {
  return static_cast<unsigned>(chase_number * sm_count / sms_chased % sm_count);
}

/// Chases through footprints that the L2 holds, from several SMs.
struct L2Chases {
  std::vector<double> means;  ///< of the small footprint, an SM each
  std::vector<double> near;   ///< of each SM, both footprints together
  std::vector<double> far;
  std::vector<double> near_shares;  ///< of the large footprint's lines
};

L2Chases chase_l2(const ProbeSettings& settings) {
  const auto share = [&](double part) {
    const double lines = part * static_cast<double>(settings.gpu.l2_size.value()) / static_cast<double>(line);
    return Bytes(static_cast<Count>(lines) * line);
  };
  Footprint small(share(small_share)), large(share(large_share));
  L2Chases chases;
  for (Count i = 0; i < sms_chased; ++i) {
    const unsigned sm = sm_of(i, settings.gpu.sm_count);
    Footprint::Steps few = small.steps(settings.gpu.sm_count, sm, small.lines());
    const Footprint::Steps many = large.steps(settings.gpu.sm_count, sm, large.lines());
    // Reading the clock costs the same for each load: what the single loads take longer than the chained ones.
    const double reading = mean_of(few.each, "latencies") - few.mean;
    few.each.insert(few.each.end(), many.each.begin(), many.each.end());
    const TwoGroups groups = two_groups(few.each);
    chases.means.push_back(few.mean);
    chases.near.push_back(groups.near - reading);
    chases.far.push_back(groups.far - reading);
    const double middle = (groups.near + groups.far) / 2;
    const auto quick =
        std::count_if(many.each.begin(), many.each.end(), [&](double clocks) { return clocks < middle; });
    chases.near_shares.push_back(static_cast<double>(quick) / loads);
  }
  return chases;
}

std::vector<double> chase_memory(const ProbeSettings& settings) {
  Footprint footprint(memory_footprint);
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
  const double near = quantile_of(chases.near_shares, 0.5, "shares of near lines");
  figure.note = std::to_string(std::lround(100 * (1 - near))) + " % of the lines of a footprint of " +
                std::to_string(std::lround(100 * large_share)) + " % of the L2";
  return figure;
}

}  // namespace

std::vector<Figure> probe_latency(const ProbeSettings& settings) {
  const L2Chases l2 = chase_l2(settings);
  return {figure_of("probe.hbm.latency", chase_memory(settings)), figure_of("probe.l2.latency", l2.means),
          figure_of("probe.l2.latency_near", l2.near), far_figure(l2)};
}

}  // namespace tilemeter::kernels
