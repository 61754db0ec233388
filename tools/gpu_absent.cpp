// The GPU of a program that was built without CUDA.
#include "model/error.hpp"
#include "tools/gpu.hpp"

namespace tilemeter {

kernels::GpuInfo require_gpu(std::string_view who) {
  throw InputError(std::string(who) + " needs a GPU: this program was built without CUDA; see kernels/README.md");
}

}  // namespace tilemeter
