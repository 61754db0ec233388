// The L2 on streams whose misses follow by hand.
#include "sim/time/l2.hpp"

#include "tests/sim/time/tile_accesses.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr Count kib = 1024;

/// 16 tiles of 8 rows x 64 columns of 2 B: 1 KiB each.
const Recording sixteen = tiled({matrix_of(128, 64)}, 8, 64);

TileAccesses sixteen_tiles(Count capacity) { return {sixteen, capacity, 8, 64}; }

Count misses_of_passes(Count tiles, Count capacity, int passes) {
  TileAccesses access = sixteen_tiles(capacity);
  DramTraffic sum;
  for (int pass = 0; pass < passes; ++pass) {
    for (Count tile = 0; tile < tiles; ++tile) sum += access.load(tile);
  }
  CHECK((sum.read + sum.hit).value() == passes * tiles * kib);
  return sum.read.value();
}

constexpr DramTraffic missed(Count bytes) { return {.read = Bytes(bytes)}; }
constexpr DramTraffic found(Count bytes) { return {.hit = Bytes(bytes)}; }

}  // namespace

TEST_CASE("the first touch of a tile misses, the next one hits") {
  TileAccesses access = sixteen_tiles(4 * kib);
  CHECK(access.load(3) == missed(kib));
  CHECK(access.load(3) == found(kib));
  CHECK(access.l2.resident() == Bytes(kib));
}

TEST_CASE("passes over a working set at the capacity hit, and one tile more misses always") {
  CHECK(misses_of_passes(4, 4 * kib, 5) == 4 * kib);
  CHECK(misses_of_passes(5, 4 * kib, 5) == 25 * kib);
  CHECK(misses_of_passes(4, 4 * kib - 1, 5) == 20 * kib);  // a byte short is a tile short
  CHECK(misses_of_passes(16, 0, 2) == 32 * kib);
}

TEST_CASE("what was used least recently leaves") {
  TileAccesses access = sixteen_tiles(3 * kib);
  for (const Count tile : {0, 1, 2, 0}) access.load(tile);
  CHECK(access.load(3) == missed(kib));  // in place of 1
  CHECK(access.load(0) == found(kib));
  CHECK(access.load(2) == found(kib));
  CHECK(access.load(1) == missed(kib));  // in place of 3
  CHECK(access.load(3) == missed(kib));
}

TEST_CASE("back and forth, a walk finds as much as fits") {
  TileAccesses access = sixteen_tiles(4 * kib);
  for (Count tile = 0; tile < 8; ++tile) access.load(tile);
  DramTraffic back;
  for (Count tile = 7; tile >= 0; --tile) back += access.load(tile);
  CHECK(back == DramTraffic{.read = Bytes(4 * kib), .hit = Bytes(4 * kib)});
}

TEST_CASE("whole sectors are stored without a fetch and written when they leave, oldest first") {
  TileAccesses access = sixteen_tiles(3 * kib);
  CHECK(access.store(0) == DramTraffic{});
  CHECK(access.load(1) == missed(kib));
  CHECK(access.store(2) == DramTraffic{});
  CHECK(access.l2.dirty() == Bytes(2 * kib));
  CHECK(access.load(3) == DramTraffic{.read = Bytes(kib), .write = Bytes(kib)});  // 0 leaves
  CHECK(access.load(4) == missed(kib));                                           // 1, clean
  CHECK(access.store(5) == DramTraffic{.write = Bytes(kib)});                     // 2
  CHECK(access.load(5) == found(kib));
  CHECK(access.l2.write_back_all() == Bytes(kib));
  CHECK(access.l2.dirty() == Bytes(0));
  CHECK(access.load(5) == found(kib));  // still there
}

TEST_CASE("a tile that is stored again and again is written once when it leaves") {
  TileAccesses access = sixteen_tiles(2 * kib);
  for (int i = 0; i < 10; ++i) CHECK(access.store(7) == DramTraffic{});
  access.load(0);
  CHECK(access.load(1).write == Bytes(kib));
}

TEST_CASE("an accumulator is read at its first addition and written when it leaves") {
  TileAccesses access = sixteen_tiles(2 * kib);
  CHECK(access.add(0) == missed(kib));
  CHECK(access.add(0) == found(kib));
  access.load(1);
  CHECK(access.load(2) == DramTraffic{.read = Bytes(kib), .write = Bytes(kib)});
  CHECK(access.add(0).read == Bytes(kib));
}

TEST_CASE("streams of a group share the matrices of K") {
  TileAccesses access(tiled({matrix_of(16, 64, 2)}, 8, 64), 8 * kib, 8, 64);
  for (Count stream = 0; stream < 8; ++stream) {
    CAPTURE(stream);
    CHECK(access.load(1, 0, stream, 8) == (stream % 4 == 0 ? missed(kib) : found(kib)));
  }
  CHECK(access.l2.resident() == Bytes(2 * kib));
}

TEST_CASE("tiles at the end of a matrix are as large as what is left; beyond it is nothing") {
  TileAccesses access(tiled({matrix_of(20, 64, 2)}, 8, 64), 8 * kib, 8, 64);
  CHECK(access.load(2) == missed(4 * 128));
  CHECK(access.load(2, 0, 1, 2) == missed(4 * 128));
  CHECK(access.load(3) == DramTraffic{});
}

TEST_CASE("tiles of two sizes meet in grains of their common divisor") {
  Recording recording = tiled({matrix_of(96, 64)}, 24, 64);
  recording.launches.push_back(tiled({matrix_of(96, 64)}, 16, 64).launches[0]);
  L2 l2(recording, Bytes(100 * kib));
  const auto load = [&](Count row, Count rows) {
    return l2.access(op_of(Way::load), {.area = {row, 0, rows, 64}}, 0, 1);
  };
  CHECK(load(0, 24) == missed(24 * 128));
  CHECK(load(16, 16) == DramTraffic{.read = Bytes(8 * 128), .hit = Bytes(8 * 128)});
  CHECK(load(24, 24) == DramTraffic{.read = Bytes(16 * 128), .hit = Bytes(8 * 128)});
  CHECK(load(40, 16) == DramTraffic{.read = Bytes(8 * 128), .hit = Bytes(8 * 128)});
}

TEST_CASE("sectors are whole: neighbours that share one read it once, and stores fetch what they cover in part") {
  // 20 rows of 3 elements of 2 B: 6 B a row, 120 B in all, 4 sectors; tiles of 8 rows are 48 B.
  const Recording recording = tiled({matrix_of(20, 3)}, 8, 3);
  TileAccesses loads(recording, kib, 8, 3);
  CHECK(loads.load(0) == missed(64));
  CHECK(loads.load(1) == missed(32));
  CHECK(loads.load(2) == missed(32));
  CHECK(loads.l2.resident() == Bytes(128));

  TileAccesses stores(recording, kib, 8, 3);
  CHECK(stores.store(0) == DramTraffic{.read = Bytes(32), .filled = Bytes(32)});
  CHECK(stores.store(1) == DramTraffic{});  // 48 ... 95: its first sector is there, its last one whole
  CHECK(stores.store(2) == DramTraffic{});  // nothing lies behind its last byte
  CHECK(stores.l2.dirty() == Bytes(128));

  TileAccesses second(recording, kib, 8, 3);
  CHECK(second.store(1) == DramTraffic{.read = Bytes(32), .filled = Bytes(32)});  // 32 ... 47 belong to tile 0
}

TEST_CASE("columns of a matrix are pieces where accesses cut it there") {
  // 40 B tiles side by side: of 120 B a row, sectors 0 and 1, 2, 3 begin in them.
  Recording recording = tiled({matrix_of(4, 60)}, 4, 20);
  L2 l2(recording, Bytes(kib));
  const auto access = [&](Way way, Count col) { return l2.access(op_of(way), {.area = {0, col, 4, 20}}, 0, 1); };
  CHECK(access(Way::load, 0) == missed(4 * 64));
  CHECK(access(Way::load, 20) == missed(4 * 32));
  CHECK(access(Way::load, 40) == missed(4 * 32));
  CHECK(l2.access(op_of(Way::load), {.area = {1, 0, 1, 60}}, 0, 1) == found(4 * 128));  // a row: its pieces whole
}

TEST_CASE("more than the capacity streams through, and its end stays") {
  // A matrix of 4 MiB loaded at once, into 1 MiB.
  const Recording recording = tiled({matrix_of(16384, 128)}, 16384, 128);
  L2 l2(recording, Bytes(kib * kib));
  const RecordedArea all{.area = {0, 0, 16384, 128}};
  CHECK(l2.access(op_of(Way::load), all, 0, 1) == missed(4096 * kib));
  CHECK(l2.resident() == Bytes(kib * kib));
  CHECK(l2.access(op_of(Way::load), all, 0, 1) == missed(4096 * kib));
  CHECK(l2.access(op_of(Way::load), {.area = {16000, 0, 384, 128}}, 0, 1).read == Bytes(0));
  const DramTraffic written = l2.access(op_of(Way::store), all, 0, 1);
  CHECK(written == DramTraffic{.write = Bytes(3072 * kib)});
  CHECK(l2.dirty() == Bytes(kib * kib));
}

TEST_CASE("a row of a wide matrix is many pieces") {
  const Recording recording = tiled({matrix_of(4, 1 << 20)}, 1, 1 << 20);  // 2 MiB a row
  L2 l2(recording, Bytes(3072 * kib));
  const auto row = [&](Count index) { return l2.access(op_of(Way::load), {.area = {index, 0, 1, 1 << 20}}, 0, 1); };
  CHECK(row(0) == missed(2048 * kib));
  CHECK(row(0) == found(2048 * kib));
  CHECK(row(1) == missed(2048 * kib));
  CHECK(row(1) == found(2048 * kib));
}
