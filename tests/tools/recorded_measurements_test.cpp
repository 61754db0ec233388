// Law 5 without a GPU: what kernels counted on one, as recorded under traces/measured, is the simulator's ledger.
#include <map>

#include "tests/support/catch.hpp"
#include "tests/tools/recordings.hpp"

using namespace tilemeter;

namespace {

void check_tensors(const Work& ledger, const Json& counted) {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    const std::string name(tensor_names[i]);
    INFO(name);
    const auto figure = [&](const char* key) {
      return counted.contains(name) ? counted.at(name).at(key).get<Count>() : Count{0};
    };
    CHECK(figure("read_elements") == ledger.tensors[i].read.value());
    CHECK(figure("write_elements") == ledger.tensors[i].write.value());
    CHECK(figure("read_bytes") == ledger.tensors[i].read_bytes.value());
    CHECK(figure("write_bytes") == ledger.tensors[i].write_bytes.value());
  }
}

}  // namespace

TEST_CASE("what kernels counted on a GPU is the ledger, in every recorded point") {
  std::map<std::string, int> points_of_kernel;
  for (const auto& [path, document] : recordings()) {
    INFO(path);
    const std::vector<Measurement> planned = planned_again(document);
    const Json& points = document.at("points");
    REQUIRE(points.size() == planned.size());
    for (std::size_t i = 0; i < planned.size(); ++i) {
      INFO("point " << i);
      if (!points[i].at("supported")) continue;
      CHECK(points[i].at("failure").is_null());
      CHECK(points[i].at("gate").at("ok"));
      const Work& ledger = planned[i].bill.counted;
      check_tensors(ledger, points[i].at("traffic").at("tensors"));
      CHECK(points[i].at("traffic").at("tiles") == ledger.tiles);
      ++points_of_kernel[points[i].at("kernel")];
    }
  }
  for (const kernels::Kernel& kernel : kernels::catalog()) {
    INFO(kernel.name);
    CHECK(points_of_kernel[std::string(kernel.name)] > 0);
  }
}
