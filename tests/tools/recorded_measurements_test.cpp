// Law 5 without a GPU: what kernels counted on one, as recorded under traces/measured, is the simulator's ledger.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include "tools/command_line.hpp"
#include "tools/json.hpp"
#include "tools/measure/points.hpp"

using namespace tilemeter;

namespace {

namespace fs = std::filesystem;

/// Every document of `measure` below the recordings.
std::vector<std::pair<std::string, Json>> recorded_documents() {
  std::vector<std::pair<std::string, Json>> documents;
  for (const auto& entry : fs::recursive_directory_iterator(TILEMETER_SOURCE_DIR "/traces/measured")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    Json document = Json::parse(file);
    if (document.at("command") == "measure") documents.emplace_back(entry.path().filename(), std::move(document));
  }
  std::sort(documents.begin(), documents.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return documents;
}

/// The points that the document's command line asks for, as the program plans them today.
std::vector<Measurement> planned_again(const Json& document) {
  std::vector<std::string> texts = {"tilemeter", "measure"};
  for (const Json& argument : document.at("arguments")) texts.push_back(argument);
  std::vector<const char*> argv;
  for (const std::string& text : texts) argv.push_back(text.c_str());
  const auto parsed = parse_command_line(commands(), static_cast<int>(argv.size()), argv.data());
  return planned_points(std::get<Invocation>(parsed).arguments).measurements;
}

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

TEST_CASE("what kernels counted on an H200 is the ledger, in every recorded point") {
  std::map<std::string, int> points_of_kernel;
  for (const auto& [file, document] : recorded_documents()) {
    INFO(file);
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
