// The descriptions that ship of this project's kernels say what the kernels are.
#include <algorithm>
#include <span>

#include "kernels/catalog.hpp"
#include "kernels/flash2.hpp"
#include "kernels/flash3.hpp"
#include "kernels/flash3_ladder.hpp"
#include "model/kernel_description.hpp"
#include "model/register_use.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

namespace {

Count size_or_zero(const std::optional<Count>& size) { return size.value_or(0); }

bool is_tiling(const KernelBuild& build, const KernelTiling& tiling) {
  return size_or_zero(build.block_q) == tiling.block_q && size_or_zero(build.block_k) == tiling.block_k &&
         size_or_zero(build.block_d) == tiling.block_d && size_or_zero(build.block_m) == tiling.block_m &&
         size_or_zero(build.block_n) == tiling.block_n && size_or_zero(build.head_dim) == tiling.head_dim &&
         size_or_zero(build.head_dim_v) == tiling.head_dim_v && build.execution.threads == tiling.threads &&
         build.stages.value_or(tiling.stages == 0 ? 0 : 1) == tiling.stages;
}

/// The builds that are no tiling, and the tilings without a build, under `mask`.
void check_tilings(const KernelDescription& description, std::span<const KernelTiling> tilings, MaskKind mask) {
  std::vector<const KernelBuild*> builds;
  for (const KernelBuild& build : description.builds) {
    const auto& masks = build.masks;
    if (masks.empty() || std::find(masks.begin(), masks.end(), mask) != masks.end()) builds.push_back(&build);
  }
  REQUIRE(builds.size() == tilings.size());
  for (std::size_t i = 0; i < tilings.size(); ++i) {
    CAPTURE(description.name, i);
    CHECK(is_tiling(*builds[i], tilings[i]));
    const bool hopper = tilings[i].architecture == Architecture::hopper;
    CHECK((builds[i]->execution.matrix == MatrixPath::wgmma) == hopper);
    const Count producers = hopper ? 128 : 0;  // a warpgroup that fetches
    CHECK(builds[i]->execution.math_warps * warp_threads == builds[i]->execution.threads - producers);
  }
}

void check_residency(const KernelDescription& description, Count head_dim, Count block_q, Count resident) {
  CAPTURE(description.name, head_dim, block_q);
  for (const MaskKind mask : {MaskKind::none, MaskKind::causal}) {
    const KernelBuild* build =
        find_build(description, {.head_dim = head_dim, .head_dim_v = head_dim, .mask = mask, .block_q = block_q});
    REQUIRE(build != nullptr);
    CHECK(build->execution.blocks_per_sm == resident);
  }
}

}  // namespace

TEST_CASE("every kernel of the catalog is described, with its algorithm and tilings") {
  for (const Kernel& kernel : catalog()) {
    CAPTURE(std::string(kernel.name));
    const KernelDescription description = load_kernel(kernel.name);
    CHECK(description.name == kernel.name);
    CHECK(description.algorithm == kernel.algorithm);
    check_tilings(description, kernel.tilings, MaskKind::none);
    if (!kernel.masks.empty()) check_tilings(description, kernel.tilings, MaskKind::causal);
  }
}

TEST_CASE("descriptions of flash3's rungs say what the rungs choose") {
  for (const Flash3Rung& rung : flash3_rungs) {
    const KernelDescription description = load_kernel(rung.name);
    const Flash3Choices& choices = rung.build.choices;
    CAPTURE(description.name);
    check_tilings(description, std::span(&rung.build.tiling, 1), MaskKind::none);
    CHECK(description.algorithm == (choices.overlap ? "flash3" : "flash2"));
    const bool clustered = choices.cluster > 1;  // without a mask alone
    CHECK(description.builds.size() == (clustered ? 1 : 2));
    for (const KernelBuild& build : description.builds) {
      CHECK(build.execution.scheduling == (choices.persistent ? Scheduling::forth_and_back : Scheduling::grid));
      CHECK(build.execution.maxima == (choices.by_reference ? Maxima::masked : Maxima::all));
      CHECK(build.execution.blocks_per_sm == 1);
    }
  }
}

TEST_CASE("described blocks of an SM are those that the kernels make room for") {
  const KernelDescription flash2 = load_kernel("flash2");
  for (const Flash2Build& build : flash2_builds) {
    check_residency(flash2, build.tiling.head_dim, build.tiling.block_q, build.choices.resident);
  }
  for (const Flash3Build& build : flash3_builds) {
    check_residency(load_kernel("flash3"), build.tiling.head_dim, build.tiling.block_q, 1);
  }
}

TEST_CASE("no described number of blocks passes what the shared memory and threads of an H200 hold") {
  const Device device = load_device("h200");
  for (const Kernel& kernel : catalog()) {
    const KernelDescription description = load_kernel(kernel.name);
    for (const KernelTiling& tiling : kernel.tilings) {
      for (const KernelBuild& build : description.builds) {
        if (!is_tiling(build, tiling) || !build.execution.blocks_per_sm) continue;
        CAPTURE(description.name, to_string(build));
        CHECK(*build.execution.blocks_per_sm * tiling.threads <= device.sm.threads);
        if (tiling.shared.value() == 0) continue;
        CHECK(*build.execution.blocks_per_sm * (tiling.shared.value() + 1024) <= device.sm.shared_per_sm.value());
      }
    }
  }
}

TEST_CASE("longest tiles come first under masks that grow with the rows, and only there") {
  for (const std::string_view name : {"flash2", "flash3", "flash2_backward"}) {
    for (const KernelBuild& build : load_kernel(name).builds) {
      CAPTURE(std::string(name), to_string(build));
      const bool grows = !build.masks.empty() && build.masks.front() == MaskKind::causal;
      CHECK((build.execution.rows == RowOrder::longest_first) == grows);
      CHECK((build.execution.fastest == FastestIndex::streams) == grows);
    }
  }
}
