// The subcommands, one file each.
#pragma once

#include "tools/command.hpp"

namespace tilemeter {

Command algorithms_command();
Command completions_command();
Command complexity_command();
Command count_command();
Command devices_command();
Command kernels_command();
Command man_command();
Command measure_command();
Command occupancy_command();
Command calibrate_command();
Command predict_command();
Command probe_command();
Command report_command();
Command roofline_command();
Command simulate_command();
Command sweep_command();
Command tables_command();
Command tune_command();
Command validate_command();

}  // namespace tilemeter
