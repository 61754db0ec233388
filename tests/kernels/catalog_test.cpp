#include "kernels/catalog.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "model/footprint.hpp"
#include "tests/kernels/kernel_points.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Case plain_point() {
  return {.problem = {.seq_q = 100, .seq_k = 100, .dtype = DType::fp32}, .tiling = {.block_q = 64, .block_k = 64}};
}

std::string reason(const Case& point) { return unsupported(kernel_named("flash2_plain"), point).value_or("none"); }

/// Shared memory of the fullest of the algorithm's blocks.
Bytes shared_tiles(const Kernel& kernel, const Case& point) {
  Bytes most;
  for (const KernelTiles& block : on_chip_tiles_by_kernel(kernel.algorithm, point)) {
    most = std::max(most, footprint_of(block.tiles).shared);
  }
  return most;
}

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
    CHECK_FALSE(kernel.dtypes.empty());
    CHECK(kernel.operands != nullptr);
    for (const KernelTiling& tiling : kernel.tilings) {
      CHECK(tiling.shared <= Bytes(227 * 1024));
      CHECK(tiling.padding <= tiling.shared);
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

TEST_CASE("every shipped tiling is supported: random points are found, under every mask and in every type") {
  std::mt19937_64 random(7);
  for (const Kernel& kernel : catalog()) {
    std::set<MaskKind> masks;
    std::set<DType> types;
    for (const KernelTiling& tiling : kernel.tilings) {
      for (int i = 0; i < 50; ++i) {
        const Case point = random_kernel_point(kernel, tiling, PointSize::small, random);
        CHECK_NOTHROW(require_supported(kernel, point));
        masks.insert(point.problem.mask.kind);
        types.insert(point.problem.dtype);
      }
    }
    INFO(kernel.name);
    for (const MaskKind mask : kernel.masks) CHECK(masks.count(mask) == 1);
    for (const DType type : kernel.dtypes) CHECK(types.count(type) == 1);
  }
}

TEST_CASE("shared memory of a kernel is that of its block's tiles, up to stated padding") {
  std::mt19937_64 random(8);
  for (const Kernel& kernel : catalog()) {
    for (const KernelTiling& tiling : kernel.tilings) {
      Case point = random_kernel_point(kernel, tiling, PointSize::medium, random);
      if (!kernel.variants.empty()) {
        point.options.variant = kernel.variants.front();
        point.problem.mask = {};
      }
      constexpr Count large = 8192;  // tiles are clipped to shorter problems
      point.problem.seq_q = point.problem.seq_k = point.shapes.m = point.shapes.n = point.shapes.k = large;
      point.shapes.tokens = point.shapes.d_in = point.shapes.d_out = large;
      point.options.group_size = 0;  // scales are padding
      INFO(kernel.name << " " << testing::describe(point));
      CHECK(tiling.shared - tiling.padding == shared_tiles(kernel, point));
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

TEST_CASE("gemm refuses sizes that tensor copies cannot take, and other stationary operands") {
  const auto reason_for = [](const Shapes& shapes, const Options& options = {}) {
    const Case point{.problem = {.dtype = DType::bf16},
                     .tiling = {.block_k = 64, .block_m = 128, .block_n = 256, .stages = 4},
                     .options = options,
                     .shapes = shapes};
    return unsupported(kernel_named("gemm"), point).value_or("none");
  };
  CHECK(reason_for({.m = 1, .n = 8, .k = 16}) == "none");
  CHECK(reason_for({.m = 1, .n = 8, .k = 12}) == "kernel gemm, --k 12: accepted are multiples of 8");
  CHECK(reason_for({.m = 1, .n = 9, .k = 8}) == "kernel gemm, --n 9: accepted are multiples of 8");
  CHECK(reason_for({.m = Count{1} << 31, .n = 8, .k = 8}) == "kernel gemm, --m 2147483648: at most 2147482624");
  CHECK(reason_for({.m = 1, .n = 8, .k = 8}, {.gemm_order = GemmOrder::no_reuse}) ==
        "kernel gemm, --order no_reuse: accepted is c_stationary");
}

TEST_CASE("a grid whose size overflows, or a problem that is none, is refused") {
  Case point = plain_point();
  point.problem.batch = std::numeric_limits<Count>::max();
  CHECK_THROWS_AS(reason(point), FigureOverflow);
  point.problem.batch = 0;
  CHECK_THROWS_WITH(require_supported(kernel_named("flash2_plain"), point), contains("--batch 0"));
}
