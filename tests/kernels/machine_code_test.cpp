#include "tests/kernels/machine_code.hpp"

#include <algorithm>

#include "kernels/catalog.hpp"
#include "tests/support/catch.hpp"

namespace {

bool counts(const KernelId& kernel) { return kernel.name.find("CountTraffic") != std::string::npos; }

std::size_t times(const Code& code, int opcode) {
  const auto found = opcodes(code);
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), opcode));
}

std::size_t shipped_tilings() {
  std::size_t tilings = 0;
  for (const auto& kernel : tilemeter::kernels::catalog()) tilings += kernel.tilings.size();
  return tilings;
}

}  // namespace

TEST_CASE("kernels that do not count are, byte for byte, the kernels without counter calls") {
  const auto shipped = kernels_in(SHIPPED_KERNELS);
  const auto bare = kernels_in(BARE_KERNELS);
  std::size_t compared = 0;
  for (const auto& [kernel, code] : shipped) {
    if (counts(kernel)) continue;
    INFO("sm_" << kernel.architecture << " " << kernel.name);
    REQUIRE(bare.count(kernel) == 1);
    CHECK(code.size() > 1000);
    CHECK((code == bare.at(kernel)));
    ++compared;
  }
  CHECK(compared > 0);
  CHECK(compared % shipped_tilings() == 0);
}

TEST_CASE("the comparison sees counter calls: kernels that count differ") {
  const auto bare = kernels_in(BARE_KERNELS);
  std::size_t compared = 0;
  for (const auto& [kernel, code] : kernels_in(SHIPPED_KERNELS)) {
    if (!counts(kernel)) continue;
    INFO("sm_" << kernel.architecture << " " << kernel.name);
    REQUIRE(bare.count(kernel) == 1);
    CHECK((code != bare.at(kernel)));
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("no shipped tiling spills registers to local memory") {
  constexpr int shared_load = 0x984, fused_multiply_add = 0x223;
  for (const auto& [kernel, code] : kernels_in(SHIPPED_KERNELS)) {
    if (counts(kernel) || kernel.architecture != 90) continue;
    INFO(kernel.name);
    CHECK(times(code, local_load) == 0);
    CHECK(times(code, local_store) == 0);
    CHECK(times(code, shared_load) > 0);
    CHECK(times(code, fused_multiply_add) > 0);
  }
}

TEST_CASE("the search for spills sees local memory") {
  std::size_t found = 0;
  for (const auto& [kernel, code] : kernels_in(BARE_KERNELS)) {
    if (kernel.name.find("uses_local_memory") == std::string::npos) continue;
    CHECK(times(code, local_load) > 0);
    CHECK(times(code, local_store) > 0);
    ++found;
  }
  CHECK(found > 0);
}
