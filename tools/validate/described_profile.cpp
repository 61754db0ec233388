#include <filesystem>

#include "model/error.hpp"
#include "tools/validate/described_point.hpp"
#include "tools/validate/observation.hpp"
#include "tools/validate/profiled_bytes.hpp"

namespace tilemeter {
namespace {

/// "launch 12 (void flash_fwd_kernel<Flash_fwd...)": names of templates run to thousands of characters.
std::string shown(const SeenLaunch& launch) {
  constexpr std::size_t longest = 80;
  std::string name = launch.kernel;
  if (name.size() > longest) name = name.substr(0, longest) + "...";
  return "launch " + std::to_string(launch.id) + " (" + name + ")";
}

/// The launches of a profile, taken one after the other.
class LaunchReader {
 public:
  LaunchReader(std::vector<SeenLaunch> launches, std::string name, std::vector<std::string>& notes)
      : launches_(std::move(launches)), name_(std::move(name)), notes_(notes) {}

  /// The next launches whose names hold `parts`, one after the other; those before each are noted. Nothing, and nothing
  /// is taken, where one of them is not to come.
  std::vector<SeenLaunch> take(const std::vector<std::string>& parts) {
    std::size_t next = next_;
    std::vector<std::size_t> places;
    for (const std::string& part : parts) {
      while (next < launches_.size() && launches_[next].kernel.find(part) == std::string::npos) ++next;
      if (next == launches_.size()) return {};
      places.push_back(next++);
    }
    std::vector<SeenLaunch> taken;
    for (const std::size_t place : places) {
      skip_to(place);
      taken.push_back(launches_[next_++]);
    }
    return taken;
  }

  void skip_rest() { skip_to(launches_.size()); }

 private:
  void skip_to(std::size_t place) {
    for (; next_ < place; ++next_) {
      notes_.push_back(name_ + ", " + shown(launches_[next_]) + ": no [[launch]] of the description matches it");
    }
  }

  std::vector<SeenLaunch> launches_;
  std::string name_;
  std::vector<std::string>& notes_;
  std::size_t next_ = 0;
};

/// The first of `launches` that was refused; nullptr when none was.
const SeenLaunch* refused_among(const std::vector<SeenLaunch>& launches) {
  for (const SeenLaunch& launch : launches) {
    if (launch.launch == nullptr) return &launch;
  }
  return nullptr;
}

/// As `described_observation`; what is wrong is named by the place in the description.
Observation observation_of(const ProfiledLaunch& launch, const KernelDescription& kernel, const std::string& source) {
  try {
    return described_observation(source, kernel, launch.problem, {});
  } catch (const InputError& error) {
    throw InputError(launch.place + ": " + error.what());
  }
}

std::string joined_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::vector<Observation> observe_profile(const std::string& csv_path, const KernelDescription& kernel,
                                         std::vector<std::string>& notes) {
  const std::string name = std::filesystem::path(csv_path).filename().string();
  const NcuExport profile = read_profile(csv_path);
  if (kernel.launches.empty()) {
    throw InputError("--kernel " + kernel.name + " describes no launches of " + name +
                     "; expected tables [[launch]] with kernel and options of the program");
  }
  if (auto denial = denial_of(profile, name)) {
    notes.push_back(*denial);
    return {};
  }
  LaunchReader reader(launches_of(profile), name, notes);
  std::vector<Observation> observations;
  for (const ProfiledLaunch& launch : kernel.launches) {
    Observation observation = observation_of(launch, kernel, name);
    const std::vector<SeenLaunch> seen = reader.take(launch.kernels);
    if (seen.empty()) {
      notes.push_back(launch.place + ": no launch of " + joined_parts(launch.kernels) + " is left in " + name);
      continue;
    }
    observation.source = name + ", launch " + std::to_string(seen.front().id);
    if (const SeenLaunch* refused = refused_among(seen)) {
      notes.push_back(name + ", " + shown(*refused) + ": refused: " + refused->refusal);
      continue;
    }
    add_profile(seen, observation);
    observations.push_back(std::move(observation));
  }
  reader.skip_rest();
  return observations;
}

}  // namespace tilemeter
