#include "kernels/catalog.hpp"

#include <limits>
#include <set>

#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Case plain_point() {
  return {.problem = {.seq_q = 100, .seq_k = 100, .dtype = DType::fp32}, .tiling = {.block_q = 64, .block_k = 64}};
}

std::string reason(const Case& point) { return unsupported(kernel_named("flash2_plain"), point).value_or("none"); }

template <class Change>
std::string reason_after(Change change) {
  Case point = plain_point();
  change(point);
  return reason(point);
}

}  // namespace

TEST_CASE("every kernel has a name of its own, tilings that fit, and launchers where CUDA is built") {
  std::set<std::string_view> names;
  for (const Kernel& kernel : catalog()) {
    CHECK(names.insert(kernel.name).second);
    CHECK_FALSE(kernel.algorithm.empty());
    CHECK_FALSE(kernel.tilings.empty());
    for (const KernelTiling& tiling : kernel.tilings) {
      const Count tiles = tiling.block_q * tiling.head_dim + tiling.block_k * (tiling.head_dim + tiling.head_dim_v);
      CHECK(tiling.shared == Bytes(tiles * size_of(kernel.dtype)));
      CHECK(tiling.shared <= Bytes(227 * 1024));
      CHECK(tiling.threads % 32 == 0);
      CHECK(tiling.threads <= 1024);
    }
#ifdef TILEMETER_CUDA_BUILT
    CHECK((kernel.launch != nullptr && kernel.count != nullptr));
#else
    CHECK((kernel.launch == nullptr && kernel.count == nullptr));
#endif
  }
}

TEST_CASE("an unknown kernel is refused with the names") {
  CHECK_THROWS_WITH(kernel_named("flash9"), contains("flash9") && contains("flash2_plain"));
}

TEST_CASE("every shipped tiling is supported, under every mask it names") {
  for (const Kernel& kernel : catalog()) {
    for (const KernelTiling& tiling : kernel.tilings) {
      for (const MaskKind mask : kernel.masks) {
        const Case point{.problem = {.heads = 8,
                                     .kv_heads = 2,
                                     .seq_k = 0,
                                     .head_dim = tiling.head_dim,
                                     .head_dim_v = tiling.head_dim_v,
                                     .mask = {.kind = mask},
                                     .dtype = kernel.dtype},
                         .tiling = {.block_q = tiling.block_q, .block_k = tiling.block_k}};
        CHECK(unsupported(kernel, point).value_or("") == "");
        CHECK_NOTHROW(require_supported(kernel, point));
      }
    }
  }
}

TEST_CASE("what a kernel cannot run is refused with the option and what is accepted") {
  CHECK(reason(plain_point()) == "none");
  CHECK(reason_after([](Case& point) { point.problem.dtype = DType::fp16; }) ==
        "kernel flash2_plain, --dtype fp16: accepted is fp32");
  CHECK(reason_after([](Case& point) { point.problem.stat_dtype = DType::fp64; }) ==
        "kernel flash2_plain, --stat-dtype fp64: accepted is fp32");
  CHECK(reason_after([](Case& point) { point.problem.packing = Packing::packed; }) ==
        "kernel flash2_plain, --packed: accepted is one stream per query head");
  CHECK(reason_after([](Case& point) { point.problem.mask.kind = MaskKind::arbitrary; }) ==
        "kernel flash2_plain, --mask arbitrary: accepted are none, causal, causal_top_left, window");
  CHECK(reason_after([](Case& point) { point.problem.head_dim_v = 96; }) ==
        "kernel flash2_plain, --head-dim/--head-dim-v 64/96: accepted are 32/32, 64/64, 128/128");
  CHECK(reason_after([](Case& point) { point.tiling.block_q = 128; }) ==
        "kernel flash2_plain, --block-q/--block-k 128x64: accepted are 32x32, 64x32, 32x64, 64x64");
  CHECK(reason_after([](Case& point) { point.tiling.stages = 2; }) == "kernel flash2_plain, --stages 2: accepted is 1");
  CHECK(reason_after([](Case& point) { point.problem.batch = Count{1} << 31; }) ==
        "kernel flash2_plain, a grid of 4294967296 thread blocks: at most 2147483647");
}

TEST_CASE("a grid whose size overflows, or a problem that is none, is refused") {
  Case point = plain_point();
  point.problem.batch = std::numeric_limits<Count>::max();
  CHECK_THROWS_AS(reason(point), FigureOverflow);
  point.problem.batch = 0;
  CHECK_THROWS_WITH(require_supported(kernel_named("flash2_plain"), point), contains("--batch 0"));
}
