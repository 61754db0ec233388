// A product whose accumulators are read too early: the compiler notes it, and the build must see the note.
#include "kernels/wgmma.cuh"

using namespace tilemeter::kernels;

__global__ void reads_too_early(float* out, Descriptor a, Descriptor b) {
  if constexpr (hopper) {
    float c[32] = {};
    fence_accumulators(c);
    for (int i = 0; i < 8; ++i) {
      multiply_add<__half, 64, Major::k, Major::k>(c, a + i, b, true);
      commit_products();
      out[threadIdx.x] += c[i];
    }
    wait_products<0>(c);
    out[threadIdx.x] += c[0];
  }
}
