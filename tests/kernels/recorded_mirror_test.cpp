// Law 5 without a GPU: what kernels counted on one, as recorded, is what the simulator counts.
#include <fstream>

#include "kernels/catalog.hpp"
#include "sim/catalog.hpp"
#include "sim/run.hpp"
#include "tests/kernels/mirror_record.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace tilemeter;

TEST_CASE("what flash2_plain counted on an H200 is the ledger") {
  std::ifstream file(TILEMETER_SOURCE_DIR "/traces/measured/h200/flash2_plain/counters.csv");
  REQUIRE(file.is_open());
  std::string line;
  std::getline(file, line);
  REQUIRE(line == mirror_header());
  int points = 0;
  while (std::getline(file, line)) {
    INFO(line);
    const MirrorPoint recorded = read_mirror_line(line);
    const std::string_view algorithm = kernels::kernel_named(recorded.kernel).algorithm;
    const Work ledger = count(find_algorithm(algorithm), recorded.point, Budget{}).work;
    for (std::size_t i = 0; i < tensor_count; ++i) {
      REQUIRE(ledger.tensors[i].read == recorded.work.tensors[i].read);
      REQUIRE(ledger.tensors[i].write == recorded.work.tensors[i].write);
    }
    REQUIRE(ledger.tiles == recorded.work.tiles);
    ++points;
  }
  CHECK(points >= 200);
}
