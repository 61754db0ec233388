#include "tools/validate/causes.hpp"

#include <algorithm>

namespace tilemeter::validation {
namespace {

struct Cause {
  std::string_view kernel;
  Metric metric;
  std::string_view words;
};

constexpr std::string_view through_l1 =
    "loads go through the L1, which still holds what an earlier pass or a neighbouring block brought";
constexpr std::string_view in_clusters =
    "blocks of a cluster exchange partial sums, which cross the edge in both directions";
constexpr std::string_view spilled = "registers go to local memory, which no bill holds";

constexpr std::array causes = {
    Cause{"softmax", Metric::edge_read, through_l1},
    Cause{"flash2_plain", Metric::edge_read, through_l1},
    Cause{"weight_layer", Metric::edge_read, in_clusters},
    Cause{"weight_layer", Metric::edge_write, in_clusters},
    Cause{"weight_layer_int8", Metric::edge_read, in_clusters},
    Cause{"weight_layer_int8", Metric::edge_write, in_clusters},
    Cause{"fa2", Metric::edge_write, spilled},
    Cause{"flash1_backward", Metric::edge_write, "unexplained: with dQ in fp32 up to 0.8 % more than it stores"},
};

}  // namespace

std::string_view known_cause(std::string_view kernel, Metric metric) {
  const auto* found = std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) {
    return cause.kernel == kernel && cause.metric == metric;
  });
  return found == causes.end() ? std::string_view() : found->words;
}

}  // namespace tilemeter::validation
