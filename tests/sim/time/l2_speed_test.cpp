// What an access costs: the engine asks the L2 at every load.
#include <ctime>

#include "tests/sim/time/tile_accesses.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

TEST_CASE("four million accesses of K and V tiles, most of them hits") {
  // 64 streams of 16384 keys, d = 128, in tiles of 64: 8 streams at a time, each tile for 33 blocks.
  const Recording recording = tiled({matrix_of(16384, 128, 64), matrix_of(16384, 128, 64)}, 64, 128);
  L2 l2(recording, Bytes(34 * 1024 * 1024));
  const Op op = op_of(Way::load);
  DramTraffic sum;
  Count accesses = 0;
  const std::clock_t begin = std::clock();
  for (Count stream = 0; stream < 64; stream += 8) {
    for (Count tile = 0; tile < 256; ++tile) {
      for (Count block = 0; block < 8 * 128; ++block) {
        for (const int tensor : {0, 1}) {
          sum += l2.access(op, {.tensor = tensor, .area = {tile * 64, 0, 64, 128}}, stream + block % 8, 64);
          ++accesses;
        }
      }
    }
  }
  const double nanoseconds =
      1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(accesses);
  INFO("ns of processor time an access: " << nanoseconds);
  CHECK(sum.read == Bytes(2LL * 64 * 16384 * 256));
  CHECK(sum.hit == Bytes(127LL * 2 * 64 * 16384 * 256));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  CHECK(nanoseconds < 200);  // about 30 on an idle core
#endif
}
