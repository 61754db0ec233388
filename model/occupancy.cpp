#include "model/occupancy.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "model/capacity_message.hpp"

namespace tilemeter {
namespace {

constexpr Count register_bytes = 4;

void check_range(std::string_view what, Count value, Count most) {
  if (value >= 1 && value <= most) return;
  throw InputError(std::string(what) + " " + std::to_string(value) + ": expected 1 to " + std::to_string(most));
}

void check(Count threads, const std::optional<Count>& registers) {
  check_range("threads of a block", threads, most_block_threads);
  if (registers) check_range("registers per thread", *registers, most_thread_registers);
}

void take_least(Occupancy& occupancy) {
  const std::array<std::pair<SmLimit, std::optional<Count>>, 4> limits = {
      {{SmLimit::shared_memory, occupancy.by_shared},
       {SmLimit::registers, occupancy.by_registers},
       {SmLimit::warps, occupancy.by_warps},
       {SmLimit::blocks, occupancy.by_blocks}}};
  occupancy.blocks = occupancy.by_blocks;
  occupancy.limiters.clear();
  for (const auto& [limit, blocks] : limits)
    occupancy.blocks = std::min(occupancy.blocks, blocks.value_or(occupancy.blocks));
  for (const auto& [limit, blocks] : limits) {
    if (blocks == occupancy.blocks) occupancy.limiters.push_back(limit);
  }
}

Bytes register_limit(const Device& device) {
  return Bytes(std::min(most_block_registers, device.sm.registers) * register_bytes);
}

/// The capacity message, and the exact bytes where it rounds.
std::string over_capacity(const BlockPlan& plan, const Footprint& use, const Budget& budget) {
  std::string text = capacity_message(plan.name, plan.tiles, budget);
  if (use.shared > *budget.bytes) {
    text += " (" + std::to_string(use.shared.value()) + " B against " + std::to_string(budget.bytes->value()) + " B, " +
            std::to_string((use.shared - *budget.bytes).value()) + " B too many)";
  }
  return text;
}

std::string too_many_registers(const BlockPlan& plan, const RegisterUse& use, const Device& device) {
  const Count warps = ceil_div(plan.threads, warp_threads);
  const Count needed = registers_of_warp(*use.per_thread);
  return plan.name + " needs " + std::to_string(warps * needed) + " registers: " + std::to_string(warps) +
         (warps == 1 ? " warp" : " warps") + " of 32 x " + std::to_string(*use.per_thread) + ", " +
         std::to_string(needed) + " in units of 256; " + device.name + " allows " +
         std::to_string(std::min(most_block_registers, device.sm.registers)) + " a block, " +
         std::to_string(use.limit) + " a thread of " + std::to_string(plan.threads);
}

}  // namespace

std::string_view name_of(SmLimit limit) {
  switch (limit) {
    case SmLimit::shared_memory:
      return "shared memory";
    case SmLimit::registers:
      return "registers";
    case SmLimit::warps:
      return "warps";
    case SmLimit::blocks:
      return "blocks";
  }
  return "";
}

Occupancy occupancy_of(const BlockNeeds& needs, const Device& device) {
  check(needs.threads, needs.registers);
  Occupancy occupancy;
  occupancy.warps_of_block = ceil_div(needs.threads, warp_threads);
  occupancy.most_warps = device.sm.threads / warp_threads;
  occupancy.by_shared = device.blocks_by_shared(needs.shared);
  if (needs.registers) occupancy.by_registers = blocks_by_registers(*needs.registers, needs.threads, device);
  occupancy.by_warps = occupancy.most_warps / occupancy.warps_of_block;
  occupancy.by_blocks = device.sm.blocks;
  occupancy.needs_opt_in = needs.shared > device.sm.shared_default;
  take_least(occupancy);
  return occupancy;
}

Occupancy occupancy_of(const BlockPlan& plan, const Device& device) {
  Occupancy occupancy = occupancy_of(needs_of(plan, device), device);
  if (footprint_of(plan.tiles).registers > register_limit(device)) {
    occupancy.by_registers = 0;
    take_least(occupancy);
  }
  return occupancy;
}

RegisterUse register_use(const BlockPlan& plan, const Device& device) {
  check(plan.threads, plan.registers);
  return register_use(footprint_of(plan.tiles).registers, plan.registers, plan.threads, device);
}

BlockNeeds needs_of(const BlockPlan& plan, const Device& device) {
  return {.shared = footprint_of(plan.tiles).shared,
          .registers = register_use(plan, device).per_thread,
          .threads = plan.threads};
}

std::optional<std::string> refusal_of(const BlockPlan& plan, const Device& device) {
  const RegisterUse registers = register_use(plan, device);
  const Footprint use = footprint_of(plan.tiles);
  Budget budget;
  budget.placement = Placement::gpu;
  budget.bytes = device.sm.shared_per_block;
  budget.registers = register_limit(device);
  budget.owner = device.name;
  if (!fits(use, budget)) return over_capacity(plan, use, budget);
  if (registers.per_thread && *registers.per_thread > registers.limit) {
    return too_many_registers(plan, registers, device);
  }
  const Count warps = ceil_div(plan.threads, warp_threads);
  if (warps <= device.sm.threads / warp_threads) return std::nullopt;
  return plan.name + " needs " + std::to_string(warps) + " warps; an SM of " + device.name + " holds " +
         std::to_string(device.sm.threads / warp_threads);
}

}  // namespace tilemeter
