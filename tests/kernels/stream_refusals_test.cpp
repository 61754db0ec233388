#include "kernels/stream_refusals.hpp"

#include <limits>

#include "kernels/catalog.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/linear_attention.hpp"
#include "kernels/softmax.hpp"
#include "kernels/split_kv.hpp"
#include "model/chain.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Case point_in(const KernelTiling& tiling) {
  Case point{.problem = {.seq_q = 64, .seq_k = 512, .dtype = DType::bf16, .score_dtype = DType::bf16},
             .tiling = {.block_q = 16, .block_k = tiling.block_k, .stages = tiling.stages},
             .options = {}};
  if (tiling.head_dim > 0) point.problem.head_dim = point.problem.head_dim_v = tiling.head_dim;
  return point;
}

template <class Change>
std::string reason_after(std::string_view kernel, const KernelTiling& tiling, Change change) {
  Case point = point_in(tiling);
  change(point);
  return unsupported(kernel_named(kernel), point).value_or("none");
}

}  // namespace

TEST_CASE("operations of a chain: side inputs first, then two operations in turn") {
  CHECK(chain_step(2, 0) == ChainStep::side);
  CHECK(chain_step(2, 1) == ChainStep::side);
  CHECK(chain_step(2, 2) == ChainStep::leaky);
  CHECK(chain_step(2, 3) == ChainStep::reflect);
  CHECK(chain_step(0, 0) == ChainStep::leaky);
}

TEST_CASE("elementwise refuses more side inputs than operations, and grids too large") {
  const auto reason = [](auto change) { return reason_after("elementwise", elementwise_tilings.front(), change); };
  CHECK(reason([](Case& point) { point.options.ops = point.options.side_inputs = 3; }) == "none");
  CHECK(reason([](Case& point) { point.options.side_inputs = 3; }) ==
        "kernel elementwise, --side-inputs 3: expected at most --ops 1, one an operation");
  CHECK(reason([](Case& point) { point.shapes.length = Count{1} << 43; }) ==
        "kernel elementwise, a grid of 4294967296 thread blocks: at most 2147483647");
  Case endless = point_in(elementwise_tilings.front());
  endless.problem.batch = std::numeric_limits<Count>::max();
  endless.shapes.length = 1 << 20;
  CHECK_THROWS_AS(unsupported(kernel_named("elementwise"), endless), FigureOverflow);
}

TEST_CASE("softmax keeps rows in registers up to 64 KiB") {
  const auto reason = [](Count cols, Variant variant, DType type) {
    return reason_after("softmax", softmax_tilings.front(), [&](Case& point) {
      point.shapes.cols = cols;
      point.options.variant = variant;
      point.problem.dtype = type;
    });
  };
  CHECK(reason(32768, Variant::resident, DType::bf16) == "none");
  CHECK(reason(16384, Variant::resident, DType::fp32) == "none");
  CHECK(reason(16385, Variant::resident, DType::fp32) ==
        "kernel softmax, --cols 16385: at most 16384 with --variant resident, which keeps a row in registers");
  CHECK(reason(100000, Variant::online, DType::fp32) == "none");
  CHECK(reason(8, Variant::fused, DType::fp32) ==
        "kernel softmax, --variant fused: accepted are safe, online, naive, resident");
}

TEST_CASE("split_kv refuses pages, and more splits than the combining kernel holds") {
  const auto reason = [](auto change) { return reason_after("split_kv", split_kv_tilings.front(), change); };
  CHECK(reason([](Case& point) { point.options.splits = 1024; }) == "none");
  CHECK(reason([](Case& point) { point.options.splits = 1025; }) == "kernel split_kv, --splits 1025: at most 1024");
  CHECK(reason([](Case& point) { point.options.page_size = 64; }) ==
        "kernel split_kv, --page-size 64: accepted is 0, K and V without pages");
}

TEST_CASE("linear_attention refuses what stays on chip only when it is short, and other chunks") {
  const KernelTiling& tiling = linear_attention_tilings.front();
  const auto reason = [&](auto change) { return reason_after("linear_attention", tiling, change); };
  const Count most = most_keys_of_scores(tiling.head_dim);
  const auto scores = [](Case& point, Count keys) {
    point.options.variant = Variant::scores;
    point.problem.seq_k = keys;
  };
  CHECK(reason([&](Case& point) { scores(point, most); }) == "none");
  CHECK(reason([&](Case& point) { scores(point, most + 1); }) ==
        "kernel linear_attention, --seq-k 1409: at most 1408 with --variant scores, which keeps K, then V, of a stream "
        "on chip");
  CHECK(reason([&](Case& point) {
          scores(point, most);
          point.problem.score_dtype = DType::fp32;
        }) == "kernel linear_attention, --score-dtype fp32: accepted is bf16, that of --dtype");
  CHECK(reason([](Case& point) { point.options.chunk = 32; }) == "kernel linear_attention, --chunk 32: accepted is 64");
  CHECK(reason([](Case& point) {
          point.options.variant = Variant::state;
          point.problem.mask.kind = MaskKind::causal;
        }).find("sums its state over all keys") != std::string::npos);
}
