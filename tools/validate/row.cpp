#include "tools/validate/row.hpp"

namespace tilemeter::validation {

std::string_view name_of(Metric metric) {
  constexpr std::array<std::string_view, metrics.size()> names = {"tensors",  "edge_read", "edge_write", "l2_read",
                                                                  "l2_write", "dram_read", "dram_write", "time"};
  return names[static_cast<std::size_t>(metric)];
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::unfitted:
      return "no fit";
    case Role::fitted:
      return "fitted";
    case Role::held_out:
      return "held out";
  }
  return "";
}

}  // namespace tilemeter::validation
