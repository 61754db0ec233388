#include <memory>

#include "kernels/probe_functions.hpp"
#include "kernels/timer.hpp"

namespace tilemeter::kernels {
namespace {

constexpr int launches = 2000;  ///< of a sample
constexpr int nodes = 200;      ///< of a graph
constexpr int replays = launches / nodes;

/// Does nothing for a null pointer, else counts its launches.
__global__ void nothing(unsigned* count) {
  if (count != nullptr) ++*count;
}

void launch_nothing(Stream stream, unsigned* count) {
  nothing<<<1, 32, 0, stream>>>(count);
  TILEMETER_CHECK(cudaGetLastError());
}

class OwnedStream {
 public:
  OwnedStream() { TILEMETER_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnedStream() { TILEMETER_REPORT(cudaStreamDestroy(stream_)); }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};

/// A chain of kernels that do nothing.
class Graph {
 public:
  Graph(Stream stream, unsigned* count) {
    TILEMETER_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < nodes; ++i) launch_nothing(stream, count);
    cudaGraph_t graph = nullptr;
    TILEMETER_CHECK(cudaStreamEndCapture(stream, &graph));
    const cudaError_t status = cudaGraphInstantiate(&exec_, graph, 0);
    TILEMETER_CHECK(cudaGraphDestroy(graph));
    TILEMETER_CHECK(status);
  }
  ~Graph() { TILEMETER_REPORT(cudaGraphExecDestroy(exec_)); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(Stream stream) const { TILEMETER_CHECK(cudaGraphLaunch(exec_, stream)); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

/// Seconds of one of `launches` kernels that `enqueue` starts.
template <class Enqueue>
std::vector<double> seconds_of_one(Enqueue enqueue, Stream stream, Count repetitions) {
  std::vector<double> seconds;
  for (Count i = 0; i <= repetitions; ++i) {
    Event start, stop;
    start.record(stream);
    enqueue();
    stop.record(stream);
    stop.wait();
    if (i > 0) seconds.push_back(stop.since(start).value / launches);
  }
  return seconds;
}

template <class Enqueue>
void require_launches(Enqueue enqueue, Stream stream, Buffer<unsigned>& count, const char* what) {
  count.copy_from(std::vector<unsigned>{0});
  enqueue();
  TILEMETER_CHECK(cudaStreamSynchronize(stream));
  const unsigned found = count.to_host()[0];
  if (found == launches) return;
  throw ProbeWrong(std::string(what) + ": " + std::to_string(found) + " kernels ran of " + std::to_string(launches));
}

}  // namespace

std::vector<Figure> probe_launch(const ProbeSettings& settings) {
  const OwnedStream owned;
  const Stream stream = owned.get();
  Buffer<unsigned> count(1);
  const auto back_to_back = [&](unsigned* counter) {
    for (int i = 0; i < launches; ++i) launch_nothing(stream, counter);
  };
  const auto replayed = [&](const Graph& graph) {
    for (int i = 0; i < replays; ++i) graph.launch(stream);
  };
  require_launches([&] { back_to_back(count.data()); }, stream, count, "probe.launch.stream");
  const Graph counting(stream, count.data());
  require_launches([&] { replayed(counting); }, stream, count, "probe.launch.graph");
  const Graph graph(stream, nullptr);
  return {
      figure_of("probe.launch.stream", seconds_of_one([&] { back_to_back(nullptr); }, stream, settings.repetitions)),
      figure_of("probe.launch.graph", seconds_of_one([&] { replayed(graph); }, stream, settings.repetitions))};
}

}  // namespace tilemeter::kernels
