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
constexpr std::string_view inferred = "tiles and the order of blocks are inferred from profiles, not known";
constexpr std::string_view one_by_one = "blocks wait for their loads one by one, and no figure holds that latency";
constexpr std::string_view windows =
    "of a window most tiles are cut, on both sides; causal masks, or none, show little of what that takes";
constexpr std::string_view near_capacity =
    "what is touched between two reads is near the capacity of the L2, where little decides much";

constexpr std::array causes = {
    Cause{"softmax", Metric::edge_read, through_l1},
    Cause{"flash2_plain", Metric::edge_read, through_l1},
    Cause{"weight_layer", Metric::edge_read, in_clusters},
    Cause{"weight_layer", Metric::edge_write, in_clusters},
    Cause{"weight_layer_int8", Metric::edge_read, in_clusters},
    Cause{"weight_layer_int8", Metric::edge_write, in_clusters},
    Cause{"fa2", Metric::edge_write, spilled},
    Cause{"flash1_backward", Metric::edge_write, "unexplained: with dQ in fp32 up to 0.8 % more than it stores"},
    Cause{"fa2", Metric::dram_read, "blocks of unequal length drift apart, and spilled registers compete for the L2"},
    Cause{"flash2", Metric::dram_read, near_capacity},
    Cause{"gemm", Metric::dram_read,
          "unexplained: panels stay in the L2 longer than in one that drops the least recent"},
    Cause{"softmax", Metric::time,
          "passes of a block over device memory and over the L2 follow each other, and are taken to overlap"},
    Cause{"standard_backward", Metric::time, one_by_one},
    Cause{"linear_attention", Metric::time, one_by_one},
    Cause{"elementwise", Metric::time, "four operations take registers, and so loads in flight, which no figure holds"},
    Cause{"flash2_plain", Metric::time,
          "how far several blocks of an SM hide each other's latency is seen at both ends alone"},
    Cause{"weight_layer", Metric::time,
          "clusters of one to eight blocks by the number of tokens have one set of figures"},
    Cause{"weight_layer_int8", Metric::time, "scales of small groups, and clusters by tokens, have one set of figures"},
    Cause{"flash2_backward", Metric::time,
          "unexplained: under causal masks d 256 takes more than d 64 and 128 lead to"},
    Cause{"flash3_backward", Metric::time,
          "accumulation in order is bound by device memory, which short points do not show"},
    Cause{"flash3", Metric::time, windows},
    Cause{"flash3_fp8", Metric::time, windows},
    Cause{"flash3_rung1", Metric::time,
          "one warpgroup under a causal mask has a loop of its own, of which no figure knows"},
    Cause{"fa2", Metric::time, "unexplained; registers spill at some of its sizes"},
    Cause{"fa2_backward", Metric::time, inferred},
    Cause{"cudnn", Metric::time, inferred},
    Cause{"cudnn_backward", Metric::time, inferred},
};

}  // namespace

std::string_view known_cause(std::string_view kernel, Metric metric) {
  const auto* found = std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) {
    return cause.kernel == kernel && cause.metric == metric;
  });
  return found == causes.end() ? std::string_view() : found->words;
}

}  // namespace tilemeter::validation
