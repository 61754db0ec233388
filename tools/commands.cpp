#include "tools/command.hpp"
#include "tools/commands/all.hpp"

namespace tilemeter {

// clang-format off
const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      count_command(),
      sweep_command(),
      tune_command(),
      occupancy_command(),
      predict_command(),
      simulate_command(),
      complexity_command(),
      roofline_command(),
      kernels_command(),
      measure_command(),
      probe_command(),
      calibrate_command(),
      validate_command(),
      tables_command(),
      report_command(),
      devices_command(),
      algorithms_command(),
      completions_command(),
      man_command(),
  };
  return table;
}
// clang-format on

}  // namespace tilemeter
