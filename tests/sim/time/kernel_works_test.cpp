// Amounts added up from ops against the bill, and against the closed form of a step.
#include "sim/time/kernel_works.hpp"

#include <algorithm>

#include "model/closed_form/catalog.hpp"
#include "sim/catalog.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

Case attention(Count seq, Count block) {
  Case point;
  point.problem.batch = 2;
  point.problem.heads = point.problem.kv_heads = 3;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.tiling.block_q = point.tiling.block_k = point.tiling.block_m = point.tiling.block_n = block;
  point.shapes = {
      .m = 100, .n = 70, .k = 50, .tokens = 24, .d_in = 64, .d_out = 96, .rows = 40, .cols = 300, .length = 5000};
  return point;
}

std::vector<KernelWork> kernels_of(std::string_view name, const Case& point, const Execution& execution) {
  const Device device = load_device("h200");
  const MachineRates rates = machine_rates(device, execution, point.problem.dtype);
  return *counted_kernels(find_algorithm(name), point, Budget{}, execution, device, rates);
}

UnitAmounts sum_of(const std::vector<KernelWork>& kernels) {
  UnitAmounts sum;
  for (const KernelWork& kernel : kernels) add(sum, kernel.amounts);
  return sum;
}

}  // namespace

TEST_CASE("the amounts of an algorithm's kernels are its bill") {
  for (const Algorithm& algorithm : algorithms()) {
    const Case point = attention(200, 32);
    const Work work = closed_form(algorithm.name, point);
    const auto kernels = kernels_of(algorithm.name, point, {});
    const UnitAmounts sum = sum_of(kernels);
    INFO(algorithm.name);
    CHECK(sum.products == work.matmul_flops);
    CHECK(sum.edge_read == work.total().read_bytes);
    CHECK(sum.edge_write == work.total().write_bytes);
    CHECK(sum.exp == work.exp.scores + work.exp.rescale + work.exp.rescale_block + work.exp.combine);
    for (const KernelWork& kernel : kernels) {
      CHECK(kernel.launch.blocks->blocks() >= 1);
      CHECK(kernel.hbm <= kernel.amounts.edge_read + kernel.amounts.edge_write);
    }
  }
}

TEST_CASE("the closed form of a streaming pass has the amounts of its ops") {
  Case point = attention(512, 128);
  point.problem.head_dim = point.problem.head_dim_v = 128;
  for (const MatrixPath path : {MatrixPath::mma, MatrixPath::wgmma}) {
    Execution execution;
    execution.matrix = path;
    const UnitAmounts counted = sum_of(kernels_of("flash2", point, execution));
    const UnitAmounts formula = unit_amounts("flash2", point, closed_form("flash2", point), execution);
    CHECK(counted.products == formula.products);
    CHECK(counted.exp == formula.exp);
    CHECK(counted.shared == formula.shared);
    CHECK(counted.edge_read == formula.edge_read);
    CHECK(counted.fma == formula.fma);
    CHECK(counted.alu == formula.alu);
  }
}

TEST_CASE("blocks of a launch are those of the closed form") {
  Case point = attention(1024, 128);
  point.problem.mask.kind = MaskKind::causal;
  const auto counted = kernels_of("flash2", point, {}).front().launch.blocks;
  const auto formula = kernel_launches("flash2", point).front().blocks;
  REQUIRE(counted.has_value());
  CHECK(counted->streams == formula->streams);
  CHECK(counted->work() == formula->work());
  CHECK(counted->longest() == formula->longest());
  CHECK(counted->stream.front().work == formula->stream.front().work);
}

TEST_CASE("the ends of a block are its first loads and its last stores") {
  // flash2_backward: K and V, and before the first product Q, dO, LSE and D of one tile, come in; dK and dV go out with
  // the last addition to dQ. bf16 tiles of 64 x 64 are 8 KiB, of fp32 16.
  Case point = attention(512, 64);
  point.problem.dtype = DType::bf16;
  const auto kernels = kernels_of("flash2_backward", point, {});
  const auto main = std::find_if(kernels.begin(), kernels.end(),
                                 [](const KernelWork& kernel) { return kernel.launch.kernel == "main"; });
  REQUIRE(main != kernels.end());
  const Count blocks = main->launch.blocks->blocks();
  CHECK(blocks == 6 * 8);
  const Bytes tile(64 * 64 * 2);
  const Bytes statistics(2 * 64 * 4);
  CHECK(main->ends.value() == blocks * (4 * tile + statistics + 2 * tile + 2 * tile).value());
  for (const KernelWork& kernel : kernels) {
    if (kernel.launch.kernel != "main") CHECK(kernel.ends == Bytes(0));
  }
}

TEST_CASE("blocks that walk the same tensors in step read them together; buffers of their own they do not share") {
  // 64 streams of 4096 rows, d 128: a stream's Q, dO and dQacc are more than an SM's share of the L2.
  Case point = attention(4096, 128);
  point.problem.batch = 4;
  point.problem.heads = point.problem.kv_heads = 16;
  point.problem.head_dim = point.problem.head_dim_v = 128;
  point.problem.dtype = DType::bf16;
  const Execution execution{.matrix = MatrixPath::wgmma, .blocks_per_sm = 1};
  const auto main_of = [&](const Case& of) {
    for (const KernelWork& kernel : kernels_of("flash2_backward", of, execution)) {
      if (kernel.launch.kernel == "main") return kernel;
    }
    return KernelWork{};
  };
  const KernelWork free = main_of(point);
  CHECK(free.dram.read < 2 * free.hbm);
  point.options.accumulation = Accumulation::deterministic;
  point.options.splits = 2;  // buffers: two blocks a stream, each with one of its own
  const KernelWork ordered = main_of(point);
  CHECK(ordered.launch.blocks->blocks() == 2 * 64);
  CHECK(ordered.dram.read > 5 * free.dram.read);
}
