// What the kernels of weight_layer decide before they run: refusals, tilings, and who takes which part of d_in.
#include "kernels/weight_layer.hpp"

#include <random>

#include "kernels/catalog.hpp"
#include "tests/kernels/kernel_points.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

constexpr Count sms = 132;

Case layer(WeightType weights, Count tokens, Count d_in, Count d_out, Count group = 0) {
  const bool int8 = weights == WeightType::int8;
  const KernelTiling& tiling = int8 ? weight_layer_int8_tilings.back() : weight_layer_tilings.back();
  Case point{.problem = {.dtype = DType::bf16},
             .tiling = {.block_k = tiling.block_k,
                        .block_m = tiling.block_m,
                        .block_n = tiling.block_n,
                        .stages = tiling.stages},
             .options = {},
             .shapes = {.tokens = tokens, .d_in = d_in, .d_out = d_out}};
  point.options.weight_type = weights;
  point.options.group_size = group;
  return point;
}

std::string reason(std::string_view kernel, const Case& point) {
  return unsupported(kernel_named(kernel), point).value_or("none");
}

}  // namespace

TEST_CASE("weight_layer refuses other weights, and sizes that tensor copies cannot take") {
  CHECK(reason("weight_layer", layer(WeightType::bf16, 1, 8, 8)) == "none");
  CHECK(reason("weight_layer_int8", layer(WeightType::int8, 3, 16, 8)) == "none");
  CHECK_THAT(reason("weight_layer", layer(WeightType::int4, 1, 64, 64)),
             contains("--weight-dtype int4: accepted is bf16"));
  CHECK_THAT(reason("weight_layer", layer(WeightType::bf16, 1, 12, 64)),
             contains("--d-in 12: accepted are multiples of 8"));
  CHECK_THAT(reason("weight_layer_int8", layer(WeightType::int8, 1, 24, 64)),
             contains("--d-in 24: accepted are multiples of 16"));
  CHECK_THAT(reason("weight_layer", layer(WeightType::bf16, 1, 64, 65)), contains("--d-out 65"));
}

TEST_CASE("weight_layer_int8 takes groups of whole steps, steps of whole groups, and one group a row") {
  for (const Count group : {0, 16, 32, 64, 128, 256, 384, 4096, 5000}) {
    INFO(group);
    CHECK(reason("weight_layer_int8", layer(WeightType::int8, 1, 4096, 64, group)) == "none");
  }
  for (const Count group : {1, 8, 24, 96, 100, 192}) {
    INFO(group);
    CHECK_THAT(reason("weight_layer_int8", layer(WeightType::int8, 1, 4096, 64, group)), contains("--group-size"));
  }
  CHECK_THAT(reason("weight_layer_int8", layer(WeightType::int8, 1, 112, 64, 64)), contains("--group-size 64"));
}

TEST_CASE("blocks of a cluster take all steps of d_in, and whole groups") {
  std::mt19937_64 random(1);
  for (const std::string_view name : {"weight_layer", "weight_layer_int8"}) {
    const Kernel& kernel = kernel_named(name);
    for (const KernelTiling& tiling : kernel.tilings) {
      for (int i = 0; i < 50; ++i) {
        const Case point = random_kernel_point(kernel, tiling, PointSize::medium, random);
        INFO(testing::describe(point));
        const WeightSplit split = weight_split(point, sms);
        const Count steps = ceil_div(point.shapes.d_in, tiling.block_k), group = point.options.group_size;
        CHECK(split.splits * split.steps >= steps);
        CHECK(split.splits <= WeightLayout::most_splits);
        CHECK(tiling.block_n % (8 * split.splits) == 0);
        if (split.splits > 1 && group > 0 && group < point.shapes.d_in) {
          CHECK(split.steps * tiling.block_k % group == 0);
        }
      }
    }
  }
}

TEST_CASE("d_in is dealt to as many blocks as fill the GPU, and to no more") {
  CHECK(weight_split(layer(WeightType::bf16, 256, 16384, 16384), sms).splits == 1);
  CHECK(weight_split(layer(WeightType::int8, 128, 16384, 16384), sms).splits == 2);
  CHECK(weight_split(layer(WeightType::int8, 128, 16384, 4096), sms).splits == 8);
  CHECK(weight_split(layer(WeightType::int8, 128, 128, 4096), sms).splits == 1);
}
