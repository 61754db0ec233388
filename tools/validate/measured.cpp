#include <algorithm>
#include <filesystem>

#include "tools/validate/described_point.hpp"
#include "tools/validate/documents.hpp"
#include "tools/validate/profiled_bytes.hpp"

namespace tilemeter {
namespace {

Traffic traffic_in(const Json& tensor) {
  return {.read = Elements(tensor.at("read_elements").get<Count>()),
          .write = Elements(tensor.at("write_elements").get<Count>()),
          .read_bytes = Bytes(tensor.at("read_bytes").get<Count>()),
          .write_bytes = Bytes(tensor.at("write_bytes").get<Count>())};
}

/// What the kernel's own counters said; exponentials are not among them.
Work work_in(const Json& point) {
  const Json& traffic = point.at("traffic");
  Work work;
  for (const auto& [name, tensor] : traffic.at("tensors").items()) {
    const auto known = std::find(tensor_names.begin(), tensor_names.end(), name);
    if (known == tensor_names.end()) throw InputError("traffic: unknown tensor " + name);
    work.tensors[static_cast<std::size_t>(known - tensor_names.begin())] = traffic_in(tensor);
  }
  work.tiles = traffic.at("tiles").get<Count>();
  work.matmul_flops = Flops(point.at("matmul_flops").get<Count>());
  return work;
}

/// Why nothing can be learned from a point; nothing when something can.
std::optional<std::string> left_out(const Json& point) {
  if (!point.at("supported").get<bool>()) return "not supported: " + point.at("reason").get<std::string>();
  if (point.contains("failure") && !point.at("failure").is_null()) {
    return "failed: " + point.at("failure").get<std::string>();
  }
  if (!point.contains("traffic")) return "nothing was counted";
  return std::nullopt;
}

/// The launches of each point of a profiled document, as the CSV beside it has them.
class ProfileBeside {
 public:
  ProfileBeside(const ObservedDocument& document, Findings findings) {
    Count launched = 0;
    for (const Json& point : document.json.at("points")) launched += point.value("profiled_kernels", Count{0});
    if (launched == 0) return;
    const std::string path = std::filesystem::path(document.path).replace_extension(".csv").string();
    if (!std::filesystem::exists(path)) {
      findings.notes.push_back(document.name + ": profiled, and the profiler's CSV is not beside it");
      return;
    }
    export_ = read_profile(path);
    if (auto denial = denial_of(export_, std::filesystem::path(path).filename().string())) {
      findings.notes.push_back(*denial);
      return;
    }
    launches_ = launches_of(export_);
    if (static_cast<Count>(launches_.size()) == launched) return;
    findings.notes.push_back(document.name + ": launched " + std::to_string(launched) + " kernels, and the CSV has " +
                             std::to_string(launches_.size()) + ": its bytes are left out");
    launches_.clear();
  }

  /// The next `count` launches; none without a profile.
  std::vector<SeenLaunch> next(Count count) {
    if (launches_.empty()) return {};
    const auto first = launches_.begin() + static_cast<std::ptrdiff_t>(next_);
    next_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  NcuExport export_;
  std::vector<SeenLaunch> launches_;
  Count next_ = 0;
};

/// Kernels of 8-bit operands are described apart; they write O in a type of its own, which is no option.
Observation described(const Json& point, const std::string& source) {
  Json named = point;
  auto name = named.at("kernel").get<std::string>();
  const bool fp8 = named.at("problem").value("dtype", "") == "fp8";
  if (fp8) {
    name += "_fp8";
    named["problem"].erase("o_dtype");
  }
  const std::optional<KernelDescription> kernel = shipped_kernel(name);
  if (!kernel) throw InputError("no description of kernel " + name + " ships");
  Observation observation = described_observation(source, *kernel, named_values(named), given_tile(named));
  if (fp8) observation.request.problem.fp8_output = DType::bf16;
  return observation;
}

Observation observed(const Json& point, const std::string& source, const std::vector<SeenLaunch>& launches) {
  Observation observation = described(point, source);
  observation.own = true;
  observation.time = cold_time(point);
  observation.counted = work_in(point);
  if (!launches.empty()) add_profile(launches, observation);
  return observation;
}

}  // namespace

void observe_measured(const ObservedDocument& document, Findings findings) {
  ProfileBeside profile(document, findings);
  const Json& points = document.json.at("points");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string source = place_in(document, "point", i);
    const auto launches = profile.next(points[i].value("profiled_kernels", Count{0}));
    if (const auto reason = left_out(points[i])) {
      findings.notes.push_back(source + ": " + *reason);
      continue;
    }
    try {
      findings.observations.push_back(observed(points[i], source, launches));
    } catch (const InputError& error) {
      findings.notes.push_back(source + ": " + error.what());
    }
  }
}

}  // namespace tilemeter
