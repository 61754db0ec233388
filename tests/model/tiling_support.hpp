// Points and budgets for the tests of the tile rules.
#pragma once

#include <string>
#include <utility>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/tiling_rule.hpp"

namespace tilemeter::testing {

inline constexpr Count kib = 1024;
inline constexpr TileGranularity any_size{1};
inline constexpr TileGranularity device_sizes{16};

inline Case square_case(Count seq, Count head_dim) {
  Case point;
  point.problem.seq_q = point.problem.seq_k = seq;
  point.problem.head_dim = point.problem.head_dim_v = head_dim;
  return point;
}

inline Budget element_budget(Count elements) {
  Budget budget;
  budget.elements = Elements(elements);
  budget.owner = "--sram " + std::to_string(elements) + "el";
  return budget;
}

inline Budget byte_budget(Count bytes) {
  Budget budget;
  budget.bytes = Bytes(bytes);
  budget.owner = "--sram " + std::to_string(bytes) + "B";
  return budget;
}

inline Budget gpu_budget(Count shared_bytes, std::string owner) {
  Budget budget = byte_budget(shared_bytes);
  budget.placement = Placement::gpu;
  budget.registers = Bytes(256 * kib);
  budget.owner = std::move(owner);
  return budget;
}

inline std::pair<Count, Count> sizes(std::string_view algorithm, const Case& point, BlockRule rule,
                                     const Budget& budget, TileGranularity granularity = any_size) {
  const Tiling tiling = resolve_tiling(algorithm, point, rule, budget, granularity);
  return {tiling.block_q, tiling.block_k};
}

inline Case tiled(Case point, Count block_q, Count block_k) {
  point.tiling.block_q = block_q;
  point.tiling.block_k = block_k;
  return point;
}

inline Count elements_moved(std::string_view algorithm, const Case& point, BlockRule rule, Count capacity) {
  Case resolved = point;
  resolved.tiling = resolve_tiling(algorithm, point, rule, element_budget(capacity), any_size);
  return closed_form(algorithm, resolved).total().total().value();
}

using Size = std::pair<Count, Count>;

}  // namespace tilemeter::testing
