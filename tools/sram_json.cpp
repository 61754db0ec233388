#include "tools/sram_json.hpp"

#include <algorithm>

namespace tilemeter {
namespace {

using Json = nlohmann::ordered_json;

template <class Unit>
Json value_or_null(const std::optional<Amount<Unit>>& amount) {
  return amount ? Json(amount->value()) : Json(nullptr);
}

std::string_view space_name(Space space, Placement placement) {
  if (space == Space::global) return "global";
  if (placement == Placement::sram) return "sram";
  return space == Space::shared ? "shared" : "registers";
}

Json tiles_json(const MemoryUse& memory, Placement placement) {
  Json list = Json::array();
  for (const OnChipTile& tile : memory.tiles) {
    Json json;
    json["name"] = tile.name;
    json["space"] = space_name(tile.space, placement);
    json["rows"] = tile.rows;
    json["cols"] = tile.cols;
    if (tile.copies != 1) json["copies"] = tile.copies;
    json["elements"] = tile.elements().value();
    json["bytes"] = tile.bytes().value();
    list.push_back(std::move(json));
  }
  return list;
}

/// Shared memory of one block: every tile in the sram placement, operand tiles in the gpu placement.
Bytes shared_of(const PointResult& result) {
  const Footprint& peak = result.memory.peak;
  return result.budget.placement == Placement::gpu ? peak.shared : peak.bytes();
}

/// Blocks that share an SM by shared memory alone, as Device::blocks_by_shared. A budget that replaces the device's
/// limit of a block widens the SM to hold one such block.
Json resident_blocks(const PointResult& result) {
  const Device& device = *result.request.device;
  const Device::Sm& sm = device.sm;
  const Bytes block = shared_of(result);
  const Bytes limit = result.budget.bytes.value_or(sm.shared_per_block);
  if (block > limit) return 0;
  const Bytes whole = std::max(sm.shared_per_sm, limit + sm.shared_reserved);
  const Bytes taken = device.shared_taken(block);
  return taken.value() == 0 ? Json(nullptr) : Json(std::max(Count{1}, whole.value() / taken.value()));
}

}  // namespace

Json sram_json(const PointResult& result) {
  const bool gpu = result.budget.placement == Placement::gpu;
  const Footprint& peak = result.memory.peak;
  Json json;
  json["placement"] = gpu ? "gpu" : "sram";
  json["peak_elements"] = peak.elements.value();
  json["peak_bytes"] = peak.bytes().value();
  if (gpu) json["peak_shared_bytes"] = peak.shared.value();
  if (gpu) json["peak_register_bytes"] = peak.registers.value();
  json["capacity_elements"] = value_or_null(result.budget.elements);
  json["capacity_bytes"] = value_or_null(result.budget.bytes);
  if (gpu) json["capacity_register_bytes"] = value_or_null(result.budget.registers);
  json["fits"] = result.fits ? Json(*result.fits) : Json(nullptr);
  if (result.request.device && result.tiling) {
    json["resident_blocks"] = resident_blocks(result);
    json["resident_blocks_by"] = "shared memory";
  }
  json["tiles"] = tiles_json(result.memory, result.budget.placement);
  return json;
}

}  // namespace tilemeter
