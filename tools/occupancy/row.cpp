#include "tools/occupancy/row.hpp"

#include <algorithm>

#include "model/execution.hpp"
#include "model/footprint.hpp"
#include "sim/catalog.hpp"
#include "tools/point.hpp"
#include "tools/resolve.hpp"

namespace tilemeter {
namespace {

/// The request's device, with --sram in the place of its shared memory per block.
std::shared_ptr<const Device> device_of(const PointRequest& request) {
  if (!request.sram) return request.device;
  if (request.sram->unit == SizeUnit::elements) {
    throw InputError("--sram " + to_string(*request.sram) +
                     " counts elements: occupancy takes a size in bytes, such as 100KiB");
  }
  Device device = *request.device;
  device.sm.shared_per_block = Bytes(request.sram->amount);
  device.sm.shared_per_sm = std::max(device.sm.shared_per_sm, device.sm.shared_per_block + device.sm.shared_reserved);
  device.name += " with --sram " + to_string(*request.sram);
  return std::make_shared<const Device>(std::move(device));
}

/// In the sram placement accumulators live in shared memory too.
std::vector<OnChipTile> placed(std::vector<OnChipTile> tiles, Placement placement) {
  if (placement == Placement::gpu) return tiles;
  for (OnChipTile& tile : tiles) tile.space = Space::shared;
  return tiles;
}

void warn_of_registers(OccupancyRow& row, std::string_view remedy) {
  const RegisterUse& use = row.registers;
  const std::string accumulators = std::to_string(use.accumulators_per_thread);
  if (use.spills()) {
    const bool given = use.source == RegisterSource::given;
    row.warnings.push_back(
        "accumulators take " + accumulators + " registers a thread of " + std::to_string(row.plan.threads) +
        " threads, past the " + std::to_string(given ? *use.per_thread : use.limit) +
        (given ? " it was given" : " it can have") + ": they spill to local memory; use more threads or smaller tiles");
  }
  if (use.source == RegisterSource::accumulators) {
    row.warnings.push_back(
        "registers are those of the accumulators alone; a kernel also holds operand fragments, addresses "
        "and loop state, so its blocks by registers can be fewer: " +
        std::string(remedy));
  } else if (use.source == RegisterSource::unknown) {
    row.warnings.push_back("registers are unknown and set no limit: " + std::string(remedy));
  }
}

/// Fills what follows from plan and device.
void assess(OccupancyRow& row, std::string_view remedy) {
  row.use = footprint_of(row.plan.tiles);
  row.registers = register_use(row.plan, *row.device);
  if (!row.reason) row.reason = refusal_of(row.plan, *row.device);
  row.occupancy = occupancy_of(row.plan, *row.device);
  if (row.reason) row.occupancy.blocks = 0;
  if (!row.plan.tiles.empty()) warn_of_registers(row, remedy);
  if (!row.reason && row.refusal()) row.warnings.push_back(*row.refusal());
}

/// The point as it is launched: a list of segments is one batch.
Case launched(const ResolvedPoint& point, const PointRequest& request) {
  Case whole = point.largest;
  if (request.segments) whole.problem.batch = static_cast<Count>(request.segments->size());
  return whole;
}

Count threads_of(const BlockThreads& given, const PointRequest& request, const Case& point) {
  if (given.warps) return *given.warps * warp_threads;
  return default_execution(request.algorithm->name, point, *request.device).threads;
}

/// A row without tiles, and why there are none.
OccupancyRow row_without_tiles(const PointRequest& request, const ResolvedPoint& point, const BlockThreads& threads,
                               std::string reason) {
  OccupancyRow row;
  row.algorithm = request.algorithm->name;
  row.device = device_of(request);
  row.point = launched(point, request);
  row.plan = {
      .name = row.algorithm, .threads = threads_of(threads, request, *row.point), .registers = threads.registers};
  row.reason = std::move(reason);
  row.registers = register_use(row.plan, *row.device);
  return row;
}

OccupancyRow row_of(const KernelTiles& kernel, const PointRequest& request, const ResolvedPoint& point,
                    const BlockThreads& threads) {
  const std::string_view name = request.algorithm->name;
  OccupancyRow row;
  row.algorithm = name;
  row.kernel = kernel.kernel;
  row.device = device_of(request);
  row.point = launched(point, request);
  row.plan = {.name = row.algorithm + " " + row.kernel,
              .tiles = placed(kernel.tiles, point.budget.placement),
              .threads = threads_of(threads, request, *row.point),
              .registers = threads.registers};
  row.grid = launch_grid(name, kernel.kernel, *row.point);
  const Count passed = overflow_of(footprint_of(kernel.tiles), point.budget);
  if (passed > 0 && passed == overflow_of(name, point.largest, point.budget)) {
    row.reason = over_capacity_message(name, point.largest, point.budget, point.granularity);
  }
  assess(row, "give --registers R, as the compiler reports it");
  return row;
}

}  // namespace

std::optional<std::string> OccupancyRow::refusal() const {
  if (reason || !grid) return reason;
  const auto past = grid_refusal(*grid);
  return past ? std::optional("cannot be launched: " + *past) : std::nullopt;
}

std::vector<OccupancyRow> occupancy_rows(const PointRequest& request, const BlockThreads& threads) {
  ResolvedPoint point = resolve(request);
  const std::string name(request.algorithm->name);
  if (!has_tiles(*request.algorithm)) {
    return {row_without_tiles(request, point, threads,
                              name + " has no tiles: it is the textbook's bill, and no block of it is described")};
  }
  if (auto refusal = choose_tiling(point)) return {row_without_tiles(request, point, threads, *refusal)};
  std::vector<OccupancyRow> rows;
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(name, point.largest)) {
    rows.push_back(row_of(kernel, request, point, threads));
  }
  return rows;
}

OccupancyRow occupancy_row(const BlockLayout& layout, std::shared_ptr<const Device> device) {
  OccupancyRow row;
  row.layout = layout.plan.name;
  row.device = std::move(device);
  row.plan = layout.plan;
  if (layout.grid) row.grid = KernelGrid{.size = *layout.grid};
  row.reason = layout.unsupported_on(*row.device);
  row.supported = !row.reason;
  assess(row, "state registers in the layout file");
  return row;
}

}  // namespace tilemeter
