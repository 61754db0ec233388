#include "kernels/present.hpp"

#include "kernels/check.hpp"

namespace tilemeter::kernels {

std::optional<std::string> missing_device() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return std::nullopt;
  cudaGetLastError();
  return std::string("no CUDA device (") + cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status) + ")";
}

}  // namespace tilemeter::kernels
