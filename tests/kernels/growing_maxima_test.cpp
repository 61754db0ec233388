// What random inputs do not bring about in flash2 and flash3: maxima that grow by more than their slack from tile to
// tile.
#include <cmath>

#include "sim/catalog.hpp"
#include "sim/numeric.hpp"
#include "tests/kernels/device_tensors.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Case point_of(const KernelTiling& tiling, DType type, const Mask& mask) {
  return {.problem = {.batch = 1,
                      .heads = 2,
                      .kv_heads = 1,
                      .seq_q = 150,
                      .seq_k = 700,
                      .head_dim = tiling.head_dim,
                      .head_dim_v = tiling.head_dim_v,
                      .mask = mask,
                      .dtype = type,
                      .score_dtype = type,
                      .o_dtype = type,
                      .fp8_output = DType::bf16},
          .tiling = {.block_q = tiling.block_q, .block_k = tiling.block_k, .stages = tiling.stages},
          .options = {}};
}

/// Earlier keys get longer, by powers of two that change no digit: they are visited last.
void stretch_keys(Matrix& k) {
  for (Eigen::Index row = 0; row < k.rows(); ++row) k.row(row) *= std::exp2(5 - 5 * row / k.rows());
}

}  // namespace

TEST_CASE("maxima that grow from tile to tile", "[small]") {
  for (const std::string_view name : {"flash2", "flash3"}) {
    const Kernel& kernel = kernel_named(name);
    const Algorithm& algorithm = find_algorithm(kernel.algorithm);
    for (const KernelTiling& tiling : kernel.tilings) {
      for (const DType type : {DType::fp16, DType::bf16, DType::fp8}) {
        if (!suits(tiling, {.dtype = type}) || (type == DType::fp8 && name == "flash2")) continue;
        for (const MaskKind mask : {MaskKind::none, MaskKind::causal}) {
          const Case point = point_of(tiling, type, {.kind = mask});
          INFO(name << ", " << name_of(type) << ", " << name_of(mask) << ", tiles " << tiling.block_q << "x"
                    << tiling.block_k << ", d " << tiling.head_dim);
          Values inputs = random_inputs(algorithm, point, 7);
          for (Matrix& k : inputs.at(TensorName::K)) stretch_keys(k);
          const Values expected = expected_outputs(algorithm, point, inputs);
          const DeviceTensors tensors(kernel, point, inputs);
          kernel.launch(tensors.pointers(), point, nullptr);
          TILEMETER_CHECK(cudaStreamSynchronize(nullptr));
          Values outputs;
          for (const auto& [tensor, matrices] : expected) outputs[tensor] = tensors.values(tensor, matrices);
          const NumericCheck check = compare(point.problem, outputs, expected, expected_norms(algorithm, point, inputs),
                                             tolerance_growth(algorithm, point));
          INFO("relative error " << check.rel_frobenius << ", of LSE " << check.max_lse_error);
          CHECK(check.ok);
        }
      }
    }
  }
}
