#include <array>

#include "tools/validate/described_point.hpp"
#include "tools/validate/documents.hpp"

namespace tilemeter {
namespace {

/// What a library's computation is described as.
struct PeerKernel {
  std::string_view kernel;
  std::string_view computation;
  const char* description;
};
constexpr std::array peer_kernels = {
    PeerKernel{"sdpa_flash", "attention", "fa2"}, PeerKernel{"sdpa_cudnn", "attention", "cudnn"},
    PeerKernel{"sdpa_flash", "gradients", "fa2_backward"}, PeerKernel{"sdpa_cudnn", "gradients", "cudnn_backward"}};

KernelDescription description_of(const Json& point) {
  const auto kernel = point.at("kernel").get<std::string>();
  const auto computation = point.at("algorithm").get<std::string>();
  for (const PeerKernel& peer : peer_kernels) {
    if (peer.kernel == kernel && peer.computation == computation) return *shipped_kernel(peer.description);
  }
  throw InputError("no description of " + computation + " by " + kernel + " ships");
}

/// PyTorch's causal mask is aligned at the top left; and for one query its FlashAttention-2 takes kernels that split
/// the keys.
NamedValues peer_values(const Json& point) {
  NamedValues values = named_values(point);
  const Json& problem = point.at("problem");
  if (problem.at("seq_q") == 1)
    throw InputError("decoding by " + point.at("kernel").get<std::string>() +
                     " has kernels of its own, of which no description ships");
  for (auto& [key, value] : values) {
    if (key == "mask" && value == "causal" && problem.at("seq_q") != problem.at("seq_k")) value = "causal_top_left";
  }
  return values;
}

Observation observed_peer(const Json& point, const std::string& source) {
  const KernelDescription kernel = description_of(point);
  Observation observation = described_observation(source, kernel, peer_values(point), {});
  observation.time = cold_time(point);
  if (!observation.time) throw InputError("no valid time with an empty L2");
  return observation;
}

}  // namespace

void observe_peers(const ObservedDocument& document, Findings findings) {
  const Json& points = document.json.at("points");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string source = place_in(document, "point", i);
    if (!points[i].at("supported").get<bool>()) {
      findings.notes.push_back(source + ": not supported: " + points[i].at("reason").get<std::string>());
      continue;
    }
    try {
      findings.observations.push_back(observed_peer(points[i], source));
    } catch (const InputError& error) {
      findings.notes.push_back(source + ": " + error.what());
    }
  }
}

}  // namespace tilemeter
