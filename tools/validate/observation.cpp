#include "tools/validate/observation.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "model/shipped_kernels.hpp"
#include "tools/validate/documents.hpp"
#include "traces/json_fault.hpp"

namespace tilemeter {
namespace {

namespace fs = std::filesystem;

constexpr const char* accepted_documents =
    "expected a document of `tilemeter measure` or of tools/peers.py, or a table of others' times or counters";

using Observe = void (*)(const ObservedDocument&, Findings);

/// What reads a document; null when it is of none of the kinds.
Observe reader_of(const Json& document) {
  if (!document.is_object()) return nullptr;
  const auto command = document.find("command");
  if (command != document.end() && document.contains("points")) {
    if (*command == "measure") return observe_measured;
    if (*command == "peers") return observe_peers;
  }
  const auto rows = document.find("rows");
  const bool described = rows != document.end() && rows->is_array() && !rows->empty() && rows->front().is_object() &&
                         rows->front().contains("described_as");
  return described && document.contains("meta") ? observe_rows : nullptr;
}

Json json_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw InputError(path + ": cannot be read; " + accepted_documents);
  if (file.peek() == std::ifstream::traits_type::eof()) throw InputError(path + ": is empty; " + accepted_documents);
  try {
    return Json::parse(file);
  } catch (const Json::exception& error) {
    throw InputError(path + ": not JSON: " + json_fault(error.what()) + "; " + accepted_documents);
  }
}

enum class Named { itself, by_folder };

void read_document(const std::string& path, Named named, Findings findings) {
  const ObservedDocument document{.path = path, .name = fs::path(path).filename().string(), .json = json_in(path)};
  const Observe observe = reader_of(document.json);
  if (observe == nullptr) {
    if (named == Named::itself) throw InputError(path + ": " + accepted_documents);
    findings.notes.push_back(document.name + ": neither of measure nor of peers.py, nor a table of others");
    return;
  }
  try {
    observe(document, findings);
  } catch (const Json::exception& error) {
    throw InputError(path + ": damaged: " + json_fault(error.what()));
  }
}

/// A CSV is read with the document beside it; alone it says nothing of what was computed.
void note_csv(const fs::path& path, Findings findings) {
  fs::path document = path;
  if (fs::exists(document.replace_extension(".json"))) return;
  findings.notes.push_back(path.filename().string() +
                           ": a CSV without the document of its launches beside it: give it with a description of the "
                           "kernel");
}

void read_folder(const std::string& folder, Findings findings) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    if (file.extension() == ".json") read_document(file.string(), Named::by_folder, findings);
    if (file.extension() == ".csv") note_csv(file, findings);
  }
}

}  // namespace

std::optional<KernelDescription> shipped_kernel(const std::string& name) {
  for (const ShippedKernel& kernel : shipped_kernels()) {
    if (kernel.name == name) return parse_kernel(kernel.toml, name + ".toml");
  }
  return std::nullopt;
}

std::optional<ObservedTime> cold_time(const Json& point) {
  for (const Json& time : point.at("times")) {
    if (time.at("regime") != "cold" || !time.value("valid", true)) continue;
    const Json& seconds = time.at("seconds");
    const double median = seconds.at("median");
    ObservedTime observed{
        .seconds = median, .spread = seconds.at("quartile_range").get<double>() / median, .clock_hz = {}};
    const Json& clock = time.at("clocks").at("sm_hertz");
    if (clock.is_number()) observed.clock_hz = clock.get<double>();
    return observed;
  }
  return std::nullopt;
}

std::string place_in(const ObservedDocument& document, const char* what, std::size_t index) {
  return document.name + ", " + what + " " + std::to_string(index + 1);
}

std::vector<Observation> read_observations(const std::vector<std::string>& paths, std::vector<std::string>& notes) {
  std::vector<Observation> observations;
  const Findings findings{observations, notes};
  for (const std::string& path : paths) {
    if (fs::is_directory(path)) {
      read_folder(path, findings);
    } else {
      read_document(path, Named::itself, findings);
    }
  }
  return observations;
}

}  // namespace tilemeter
