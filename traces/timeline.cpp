#include "traces/timeline.hpp"

namespace tilemeter {

std::string_view name_of(SmUnit unit) {
  constexpr std::array<std::string_view, sm_unit_count> names = {"tensor", "exp",  "fma",  "alu",
                                                                 "shared", "load", "store"};
  return names[static_cast<std::size_t>(unit)];
}

std::string_view name_of(Wait wait) {
  constexpr std::array<std::string_view, wait_count> names = {"hbm",    "l2",    "tensor", "exp",     "fma",   "alu",
                                                              "shared", "order", "store",  "barrier", "launch"};
  return names[static_cast<std::size_t>(wait)];
}

}  // namespace tilemeter
