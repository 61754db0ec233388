// Which launches are not to be believed.
#include <array>

#include "model/digits.hpp"
#include "traces/ncu.hpp"

namespace tilemeter {
namespace {

constexpr Seconds shortest{20e-6};
constexpr double tolerance = 0.01;

using BytesField = std::optional<Bytes> NcuLaunch::*;

struct NamedBytes {
  std::string_view name;
  BytesField field;
};
constexpr NamedBytes sm_edge_read{"reads at the edge of the SM", &NcuLaunch::sm_edge_read};
constexpr NamedBytes sm_edge_write{"writes at the edge of the SM", &NcuLaunch::sm_edge_write};
constexpr NamedBytes l2_total{"all L2 traffic", &NcuLaunch::l2_total};
constexpr NamedBytes l2_fabric{"L2 traffic between partitions", &NcuLaunch::l2_fabric};
constexpr NamedBytes l2_read{"all L2 reads", &NcuLaunch::l2_read};
constexpr NamedBytes l2_write{"all L2 writes", &NcuLaunch::l2_write};
constexpr NamedBytes l2_sm_read{"L2 reads of the SMs", &NcuLaunch::l2_sm_read};
constexpr NamedBytes l2_sm_write{"L2 writes of the SMs", &NcuLaunch::l2_sm_write};

/// What is counted in `part` is counted in `whole` too.
struct Inclusion {
  NamedBytes part;
  NamedBytes whole;
};
constexpr std::array inclusions = {Inclusion{l2_sm_read, sm_edge_read}, Inclusion{l2_sm_write, sm_edge_write},
                                   Inclusion{l2_sm_read, l2_read},      Inclusion{l2_sm_write, l2_write},
                                   Inclusion{l2_read, l2_total},        Inclusion{l2_write, l2_total},
                                   Inclusion{l2_fabric, l2_total}};

constexpr std::array counted = {sm_edge_read,
                                sm_edge_write,
                                l2_total,
                                l2_fabric,
                                l2_read,
                                l2_write,
                                l2_sm_read,
                                l2_sm_write,
                                NamedBytes{"DRAM reads", &NcuLaunch::dram_read},
                                NamedBytes{"DRAM writes", &NcuLaunch::dram_write},
                                NamedBytes{"local-memory loads", &NcuLaunch::local_load},
                                NamedBytes{"local-memory stores", &NcuLaunch::local_store}};

bool exceeds(Count part, Count whole) {
  return static_cast<double>(part) > static_cast<double>(whole) * (1 + tolerance);
}

std::optional<std::string> contradiction(const NcuLaunch& launch) {
  const std::string replays = ": they come from different replays of the kernel";
  for (const Inclusion& inclusion : inclusions) {
    const auto part = launch.*inclusion.part.field;
    const auto whole = launch.*inclusion.whole.field;
    if (!part || !whole || !exceeds(part->value(), whole->value())) continue;
    return std::string(inclusion.part.name) + " (" + std::to_string(part->value()) + " B) exceed " +
           std::string(inclusion.whole.name) + " (" + std::to_string(whole->value()) + " B)" + replays;
  }
  if (launch.cycles_active && launch.cycles_elapsed && exceeds(*launch.cycles_active, *launch.cycles_elapsed)) {
    return "active cycles (" + std::to_string(*launch.cycles_active) + ") exceed elapsed cycles (" +
           std::to_string(*launch.cycles_elapsed) + ")" + replays;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ncu_refusal(const NcuLaunch& launch) {
  if (launch.duration && *launch.duration < shortest) {
    return "it ran for " + fixed_digits(launch.duration->value * 1e6, 3) +
           " us: counters of kernels below 20 us are not to be trusted";
  }
  // Not a number fails the comparison, too.
  if (launch.l2_hit_rate && !(*launch.l2_hit_rate >= 0 && *launch.l2_hit_rate <= 100)) {
    return "its L2 hit rate is " + fixed_digits(*launch.l2_hit_rate, 2) +
           " %, outside 0 to 100: too short a kernel, or counters of different replays";
  }
  for (const NamedBytes& bytes : counted) {
    if (const auto value = launch.*bytes.field; value && *value < Bytes(0)) {
      return std::string(bytes.name) + " are negative: " + std::to_string(value->value()) + " B";
    }
  }
  return contradiction(launch);
}

}  // namespace tilemeter
