// The steps of an algorithm, under the names that the simulator and the kernels share.
#pragma once

#include <string_view>

namespace tilemeter {

enum class Phase {
  load_q,
  load_k,
  load_v,
  load_state,
  scores,
  mask,
  softmax,
  rescale,
  accumulate,
  finish,
  store,
  transform
};

constexpr std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::load_q:
      return "load_q";
    case Phase::load_k:
      return "load_k";
    case Phase::load_v:
      return "load_v";
    case Phase::load_state:
      return "load_state";
    case Phase::scores:
      return "scores";
    case Phase::mask:
      return "mask";
    case Phase::softmax:
      return "softmax";
    case Phase::rescale:
      return "rescale";
    case Phase::accumulate:
      return "accumulate";
    case Phase::finish:
      return "finish";
    case Phase::store:
      return "store";
    case Phase::transform:
      return "transform";
  }
  return "";
}

}  // namespace tilemeter
