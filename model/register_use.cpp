#include "model/register_use.hpp"

#include <algorithm>
#include <cassert>

namespace tilemeter {
namespace {

constexpr Count allocation_unit = 256;  // registers that a warp takes at a time
constexpr Count bytes_a_register = 4;

Count partitions_of(const Device& device) { return device.capability() == 60 ? 2 : 4; }

Count rounded_up(Count value, Count unit) { return ceil_div(value, unit) * unit; }

}  // namespace

Count registers_of_warp(Count per_thread) { return rounded_up(per_thread * warp_threads, allocation_unit); }

Count registers_per_thread_limit(Count threads, const Device& device) {
  assert(threads >= 1 && threads <= most_block_threads);
  const Count warps = rounded_up(ceil_div(threads, warp_threads), partitions_of(device));
  const Count whole_units = std::min(most_block_registers, device.sm.registers) / warps / allocation_unit;
  return std::min(most_thread_registers, whole_units * allocation_unit / warp_threads);
}

Count blocks_by_registers(Count per_thread, Count threads, const Device& device) {
  assert(per_thread >= 1);
  if (per_thread > registers_per_thread_limit(threads, device)) return 0;
  const Count partitions = partitions_of(device);
  const Count warps = device.sm.registers / partitions / registers_of_warp(per_thread) * partitions;
  return warps / ceil_div(threads, warp_threads);
}

RegisterUse register_use(Bytes accumulators, std::optional<Count> given, Count threads, const Device& device) {
  RegisterUse use;
  use.accumulators = accumulators;
  use.accumulators_per_thread = ceil_div(ceil_div(accumulators.value(), bytes_a_register), threads);
  use.limit = registers_per_thread_limit(threads, device);
  if (given) {
    use.per_thread = given;
    use.source = RegisterSource::given;
  } else if (use.accumulators_per_thread > 0) {
    use.per_thread = std::min(use.accumulators_per_thread, std::max(Count{1}, use.limit));
    use.source = RegisterSource::accumulators;
  }
  return use;
}

}  // namespace tilemeter
