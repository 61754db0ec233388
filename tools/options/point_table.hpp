// The table behind point_options: how the text of each option becomes an axis.
#pragma once

#include <span>

#include "tools/command.hpp"
#include "tools/options/axis.hpp"

namespace tilemeter {

/// Makes the axis of `option` from its text; `arguments` holds the whole command line. Throws InputError.
using MakeAxis = Axis (*)(std::string_view option, const std::string& text, const Arguments& arguments);

struct PointOption {
  OptionSpec spec;
  MakeAxis make = nullptr;  ///< absent for an option that another one reads
};

/// Shape, masks and types.
std::span<const PointOption> problem_options();
/// Tile sizes, budgets and devices.
std::span<const PointOption> machine_options();

/// An option that only some algorithms take.
struct OwnOption {
  PointOption option;
  void (*reset)(PointRequest&) = nullptr;  ///< back to the default, for the algorithms that do not take it
};
/// Every such option: of attention's algorithms and of its neighbours.
std::span<const OwnOption> own_options();
/// Sizes and choices of gemm, weight_layer, softmax and elementwise.
std::span<const OwnOption> neighbour_options();

}  // namespace tilemeter
