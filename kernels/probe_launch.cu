#include "kernels/probe_functions.hpp"
#include "kernels/probe_graph.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr int launches = 2000;  ///< of a sample
constexpr int nodes = 200;      ///< of a graph
constexpr int replays = launches / nodes;

/// Does nothing for a null pointer, else counts its launches.
__global__ void nothing(unsigned* count) {
  if (count != nullptr) ++*count;
}

void enqueue(int times, unsigned* count, Stream stream) {
  for (int i = 0; i < times; ++i) {
    nothing<<<1, 32, 0, stream>>>(count);
    TILEMETER_CHECK(cudaGetLastError());
  }
}

Launch back_to_back(unsigned* count) {
  return [=](Stream stream) { enqueue(launches, count, stream); };
}

Launch replayed(const Graph& graph) {
  return [&](Stream stream) {
    for (int i = 0; i < replays; ++i) graph.launch(stream);
  };
}

std::vector<double> seconds_of_one(const Launch& all, Count repetitions) {
  std::vector<double> seconds = timed_launches(all, repetitions);
  for (double& time : seconds) time /= launches;
  return seconds;
}

void require_launches(const Launch& all, Buffer<unsigned>& count, const char* what) {
  count.copy_from(std::vector<unsigned>{0});
  all(nullptr);
  const unsigned found = count.to_host()[0];
  if (found == launches) return;
  throw ProbeWrong(std::string(what) + ": " + std::to_string(found) + " kernels ran of " + std::to_string(launches));
}

}  // namespace

std::vector<Figure> probe_launch(const ProbeSettings& settings) {
  Buffer<unsigned> count(1);
  const Graph counting([&](Stream stream) { enqueue(nodes, count.data(), stream); });
  const Graph graph([](Stream stream) { enqueue(nodes, nullptr, stream); });
  require_launches(back_to_back(count.data()), count, "probe.launch.stream");
  require_launches(replayed(counting), count, "probe.launch.graph");
  return {figure_of("probe.launch.stream", seconds_of_one(back_to_back(nullptr), settings.repetitions)),
          figure_of("probe.launch.graph", seconds_of_one(replayed(graph), settings.repetitions))};
}

}  // namespace tilemeter::kernels
