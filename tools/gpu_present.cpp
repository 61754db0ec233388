// The GPU of a program that was built with CUDA.
#include "kernels/present.hpp"
#include "model/error.hpp"
#include "tools/gpu.hpp"

namespace tilemeter {

kernels::GpuInfo require_gpu(std::string_view who) {
  if (const auto reason = kernels::missing_device()) throw InputError(std::string(who) + " needs a GPU: " + *reason);
  return kernels::gpu_info();
}

}  // namespace tilemeter
