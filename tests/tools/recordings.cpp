#include "tests/tools/recordings.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kernels/flash3_ladder.hpp"
#include "tests/support/source_dir.hpp"
#include "tools/command_line.hpp"

using namespace tilemeter;

std::vector<Recording> recordings() {
  std::vector<Recording> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TILEMETER_SOURCE_DIR "/traces/measured")) {
    std::filesystem::path path = entry.path();
    if (path.extension() != ".json") continue;
    if (path.parent_path().filename() == "ladder" && kernels::flash3_ladder().empty()) continue;
    std::ifstream file(path);
    Json document = Json::parse(file);
    if (document.value("command", "") == "measure" && document.contains("arguments")) {
      found.push_back({path.replace_extension().string(), std::move(document)});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

std::vector<Measurement> planned_again(const Json& document) {
  std::vector<std::string> texts = {"tilemeter", "measure"};
  for (const Json& argument : document.at("arguments")) texts.push_back(argument);
  std::vector<const char*> argv;
  for (const std::string& text : texts) argv.push_back(text.c_str());
  const auto parsed = parse_command_line(commands(), static_cast<int>(argv.size()), argv.data());
  return planned_points(std::get<Invocation>(parsed).arguments).measurements;
}
