#include "kernels/timer.hpp"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tilemeter::kernels {
namespace {

constexpr int flush_threads = 256;
constexpr Count least_batch = 10;
constexpr Count largest_batch = 100;
constexpr Seconds batch_time{200e-6};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

__global__ void write_all(uint4* to, std::size_t size) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = make_uint4(static_cast<unsigned>(i), 1, 2, 3);
  }
}

/// The sum depends on every word, so that no load can be left out.
__global__ void read_all(const uint4* from, std::size_t size, unsigned* sink) {
  unsigned sum = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 value = from[i];
    sum += value.x ^ value.y ^ value.z ^ value.w;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void do_nothing() {}

int attribute(cudaDeviceAttr name) {
  int device = 0, value = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&value, name, device));
  return value;
}

int flush_blocks() { return 8 * attribute(cudaDevAttrMultiProcessorCount); }

Count between(double value, Count least, Count most) {
  return std::clamp(static_cast<Count>(std::ceil(value)), least, most);
}

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { TILEMETER_REPORT(cudaGraphDestroy(graph)); }
};
struct DestroyGraphExec {
  void operator()(cudaGraphExec_t graph) const { TILEMETER_REPORT(cudaGraphExecDestroy(graph)); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraphExec>;

/// `count` launches as a graph; null when the work does something that a capture forbids.
Graph captured(const Launch& launch, Count count, Stream stream) {
  TILEMETER_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  bool captured = true;
  try {
    for (Count i = 0; i < count; ++i) launch(stream);
  } catch (const CudaError&) {
    captured = false;
  }
  cudaGraph_t graph = nullptr;
  captured = cudaStreamEndCapture(stream, &graph) == cudaSuccess && captured;
  Graph owned(graph);
  cudaGetLastError();
  return captured ? std::move(owned) : nullptr;
}

GraphExec executable(const Graph& graph) {
  if (!graph) return nullptr;
  cudaGraphExec_t exec = nullptr;
  TILEMETER_CHECK(cudaGraphInstantiate(&exec, graph.get(), 0));
  return GraphExec(exec);
}

Count kernels_in(const Graph& graph) {
  std::size_t size = 0;
  TILEMETER_CHECK(cudaGraphGetNodes(graph.get(), nullptr, &size));
  std::vector<cudaGraphNode_t> nodes(size);
  TILEMETER_CHECK(cudaGraphGetNodes(graph.get(), nodes.data(), &size));
  return std::count_if(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    TILEMETER_CHECK(cudaGraphNodeGetType(node, &type));
    return type == cudaGraphNodeTypeKernel;
  });
}

}  // namespace

Seconds Event::since(const Event& start) const {
  float milliseconds = 0;
  TILEMETER_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return {1e-3 * static_cast<double>(milliseconds)};
}

/// Several launches as one thing to enqueue.
class Timer::Repeated {
 public:
  Repeated(const Launch& launch, Count count, Stream stream) : launch_(launch), count_(count) {
    if (count > 1) graph_ = executable(captured(launch, count, stream));
  }
  void enqueue(Stream stream) const {
    if (graph_) {
      TILEMETER_CHECK(cudaGraphLaunch(graph_.get(), stream));
    } else {
      for (Count i = 0; i < count_; ++i) launch_(stream);
    }
  }
  Count count() const { return count_; }
  TimingMethod method() const {
    if (count_ == 1) return TimingMethod::single_launch;
    return graph_ ? TimingMethod::graph_replay : TimingMethod::batch;
  }

 private:
  const Launch& launch_;
  Count count_;
  GraphExec graph_;
};

Timer::Timer(ReadClocks read_clocks)
    : read_clocks_(std::move(read_clocks)), l2_(attribute(cudaDevAttrL2CacheSize)), began_(now()) {
  const Bytes flush = std::max(least_flush, 2 * l2_);
  scratch_ = Buffer<unsigned>(static_cast<std::size_t>(flush.value()) / sizeof(unsigned));
  sink_ = Buffer<unsigned>(static_cast<std::size_t>(flush_blocks()) * flush_threads);
  TILEMETER_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

Timer::~Timer() { TILEMETER_REPORT(cudaStreamDestroy(stream_)); }

void Timer::flush_l2() {
  const std::size_t vectors = scratch_.bytes() / sizeof(uint4);
  auto* memory = reinterpret_cast<uint4*>(scratch_.data());
  write_all<<<flush_blocks(), flush_threads, 0, stream_>>>(memory, vectors);
  read_all<<<flush_blocks(), flush_threads, 0, stream_>>>(memory, vectors, sink_.data());
  TILEMETER_CHECK(cudaGetLastError());
}

void Timer::prepare(const TimedWork& work) {
  if (work.prepare) work.prepare(stream_);
}

ClockReading Timer::reading() const {
  ClockReading reading = read_clocks_ ? read_clocks_() : ClockReading{};
  reading.at = {now() - began_};
  return reading;
}

Seconds Timer::timed(const Launch& enqueue) {
  Event start, stop;
  start.record(stream_);
  enqueue(stream_);
  stop.record(stream_);
  stop.wait();
  return stop.since(start);
}

Seconds Timer::warm_up(const TimedWork& work) {
  prepare(work);
  const double until = now() + warmup_time.value;
  Seconds one{0};
  do {
    one = {timed([&](Stream stream) {
             for (Count i = 0; i < least_warmup_launches; ++i) work.launch(stream);
           }).value /
           least_warmup_launches};
  } while (now() < until);
  return one;
}

/// The flush keeps the GPU busy while the host enqueues the events and the launch.
Seconds Timer::cold_sample(const TimedWork& work) {
  prepare(work);
  flush_l2();
  return timed(work.launch);
}

/// The launches before the first event warm the L2 and keep the GPU busy while the host enqueues the rest.
Seconds Timer::warm_sample(const TimedWork& work, Repeated& launches) {
  prepare(work);
  launches.enqueue(stream_);
  return {timed([&](Stream stream) { launches.enqueue(stream); }).value / static_cast<double>(launches.count())};
}

TimedSamples Timer::sample(const TimedWork& work, CacheState cache, Count samples) {
  const Seconds one = warm_up(work);
  const bool single = cache == CacheState::cold || !(one < single_from);
  Repeated launches(work.launch, single ? 1 : between(batch_time.value / one.value, least_batch, largest_batch),
                    stream_);
  TimedSamples taken{.cache = cache,
                     .method = launches.method(),
                     .launches = launches.count(),
                     .flushed = cache == CacheState::cold ? flush_size() : Bytes(0)};
  for (Count i = 0; i < 2 * samples && std::ssize(taken.seconds) < samples; ++i) {
    const Seconds time = cache == CacheState::cold ? cold_sample(work) : warm_sample(work, launches);
    taken.readings.push_back(reading());
    if (taken.readings.back().slowed_down) {
      ++taken.discarded;
    } else {
      taken.seconds.push_back(time.value);
    }
  }
  if (!read_clocks_) taken.readings.clear();
  return taken;
}

TimedSamples Timer::sustain(const TimedWork& work, Seconds duration) {
  constexpr double settling = 0.25;
  const Seconds one = warm_up(work);
  Repeated launches(work.launch, one < single_from ? largest_batch : 1, stream_);
  const Count repeats =
      between(sustained_chunk.value / (one.value * static_cast<double>(launches.count())), 1, Count{1} << 20);
  TimedSamples taken{.cache = CacheState::warm, .method = launches.method(), .launches = launches.count() * repeats};
  const double began = now();
  auto before = std::make_unique<Event>();
  before->record(stream_);
  auto enqueue_chunk = [&] {
    for (Count i = 0; i < repeats; ++i) launches.enqueue(stream_);
    auto end = std::make_unique<Event>();
    end->record(stream_);
    return end;
  };
  auto end = enqueue_chunk();
  while (now() < began + duration.value / (1 - settling)) {
    auto next = enqueue_chunk();  // the GPU always has work while the host waits
    end->wait();
    if (now() > began + duration.value * settling / (1 - settling)) {
      taken.seconds.push_back(end->since(*before).value / static_cast<double>(taken.launches));
      if (read_clocks_) taken.readings.push_back(reading());
    }
    before = std::exchange(end, std::move(next));
  }
  end->wait();
  return taken;
}

Count Timer::profile(const TimedWork& work) {
  const Graph graph = captured(work.launch, 1, stream_);
  if (!graph) throw std::logic_error("work that cannot be captured cannot be counted for a profile");
  prepare(work);
  TILEMETER_CHECK(cudaStreamSynchronize(stream_));
  TILEMETER_CHECK(cudaProfilerStart());
  work.launch(stream_);
  TILEMETER_CHECK(cudaStreamSynchronize(stream_));
  TILEMETER_CHECK(cudaProfilerStop());
  return kernels_in(graph);
}

Seconds Timer::empty_launch(CacheState cache) {
  const TimedWork nothing{.launch = [](Stream stream) {
    do_nothing<<<1, 32, 0, stream>>>();
    TILEMETER_CHECK(cudaGetLastError());
  }};
  return {quantile_of(sample(nothing, cache).seconds, 0.5, "empty launches")};
}

}  // namespace tilemeter::kernels
