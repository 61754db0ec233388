// The options that describe points: their help, and the axes that they stand for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/command.hpp"
#include "tools/options/axis.hpp"

namespace tilemeter {

/// Every option of a point, in the order of the help text.
std::span<const OptionSpec> point_option_specs();

/// Which options may stand for several values.
enum class Several {
  one_but_algorithms,
  one_problem,  ///< several algorithms, sizes of --sram and devices
  many
};

/// The axes of `arguments`, in the order of the command line. Options that are none of a point's are left alone. Throws
/// InputError: a value that does not parse, several values where one is taken, options that contradict each other, a
/// missing length or algorithm, an option that none of the algorithms takes. `who` names the subcommand in messages.
PointGrid point_grid(const Arguments& arguments, std::string_view who, Several several);

}  // namespace tilemeter
