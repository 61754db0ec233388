#include "tools/sram_json.hpp"

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

void add_residency(const PointResult& result, Json& json) {
  const auto blocks = result.request.device->blocks_by_shared(shared_of(result));
  json["resident_blocks"] = blocks ? Json(*blocks) : Json(nullptr);
  json["limiter"] = "shared";
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
  if (result.request.device && result.tiling) add_residency(result, json);
  json["tiles"] = tiles_json(result.memory, result.budget.placement);
  return json;
}

}  // namespace tilemeter
