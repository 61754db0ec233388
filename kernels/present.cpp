#include "kernels/present.hpp"

#include <stdexcept>

#include "kernels/check.hpp"

namespace tilemeter::kernels {

std::optional<std::string> missing_device() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return std::nullopt;
  cudaGetLastError();
  return std::string("no CUDA device (") + cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status) + ")";
}

void require_hopper(std::string_view kernel) {
  int device = 0, major = 0, minor = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  if (major == 9 && minor == 0) return;
  throw std::runtime_error("kernel " + std::string(kernel) + ": needs a GPU of compute capability 9.0; this one has " +
                           std::to_string(major) + "." + std::to_string(minor));
}

int multiprocessors() {
  int device = 0, count = 0;
  TILEMETER_CHECK(cudaGetDevice(&device));
  TILEMETER_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace tilemeter::kernels
