// The stated grids hold as many blocks as the simulated launches.
#include "model/launch_grid.hpp"

#include <optional>
#include <random>

#include "model/footprint.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

/// Blocks of every kernel of an algorithm; nothing where one has no stated grid.
std::optional<Count> stated_blocks(std::string_view algorithm, const Case& point) {
  Count blocks = 0;
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, point)) {
    const auto grid = launch_grid(algorithm, kernel.kernel, point);
    if (!grid) return std::nullopt;
    blocks += grid->size.blocks();
  }
  return blocks;
}

}  // namespace

TEST_CASE("law: a stated grid holds the blocks that the simulator launches") {
  const std::uint64_t seed = 31;
  std::mt19937_64 random(seed);
  int compared = 0;
  for (int repetition = 0; repetition < testing::repetitions(300); ++repetition) {
    Case drawn = random_case(random, Extent::small);
    drawn.options.init = StatisticsInit::not_counted;  // the kernel that writes it holds no tiles
    for (const Algorithm& algorithm : algorithms()) {
      const Case point = adapted(drawn, algorithm.formula(), random);
      if (on_chip_tiles_by_kernel(algorithm.name, point).empty()) continue;
      const auto stated = stated_blocks(algorithm.name, point);
      if (!stated) continue;
      INFO("seed " << seed << ", --algorithm " << algorithm.name << " " << describe(point));
      Count launched = 0;
      for (const SmUse& sm : count_per_sm(algorithm, point, Budget{}, 3)) launched += sm.blocks;
      CHECK(launched == *stated);
      ++compared;
    }
  }
  CHECK(compared >= testing::repetitions(600));
}
