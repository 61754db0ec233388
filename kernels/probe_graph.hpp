// Launches captured once and replayed, without the host between them.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/check.hpp"
#include "kernels/timer.hpp"

namespace tilemeter::kernels {

/// What `enqueue` puts on a stream, as a graph. Throws CudaError where it does something that cannot be captured.
class Graph {
 public:
  explicit Graph(const Launch& enqueue) {
    Stream stream = nullptr;
    TILEMETER_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaGraph_t graph = nullptr;
    cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status == cudaSuccess) {
      enqueue(stream);
      status = cudaStreamEndCapture(stream, &graph);
    }
    TILEMETER_REPORT(cudaStreamDestroy(stream));
    TILEMETER_CHECK(status);
    status = cudaGraphInstantiate(&exec_, graph, 0);
    TILEMETER_REPORT(cudaGraphDestroy(graph));
    TILEMETER_CHECK(status);
  }
  ~Graph() { TILEMETER_REPORT(cudaGraphExecDestroy(exec_)); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(Stream stream) const { TILEMETER_CHECK(cudaGraphLaunch(exec_, stream)); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace tilemeter::kernels
