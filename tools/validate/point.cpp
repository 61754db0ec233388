#include "tools/validate/point.hpp"

#include <algorithm>
#include <cmath>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/padded.hpp"
#include "sim/catalog.hpp"
#include "tools/hints.hpp"
#include "tools/json.hpp"
#include "tools/validate/as_measured.hpp"
#include "tools/validate/causes.hpp"

namespace tilemeter::validation {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double edge_share = 0.001;
constexpr double ragged_causal_edge_share = 0.0035;

std::string size_text(const Json& sizes, const char* name, const char* shown) {
  return std::string(shown) + " " + std::to_string(sizes.at(name).get<Count>());
}

std::string attention_text(const Json& sizes) {
  std::string text = size_text(sizes, "seq_q", "N");
  if (sizes["seq_k"] != sizes["seq_q"]) text += size_text(sizes, "seq_k", " x");
  text += size_text(sizes, "head_dim", ", d");
  if (sizes["head_dim_v"] != sizes["head_dim"]) text += size_text(sizes, "head_dim_v", ", d_v");
  const auto mask = sizes["mask"].get<std::string>();
  if (mask != "none") text += ", " + mask;
  if (mask == "window") text += size_text(sizes, "window_left", "") + size_text(sizes, "window_right", ",");
  text += size_text(sizes, "batch", ", B") + size_text(sizes, "heads", " H");
  if (sizes["kv_heads"] != sizes["heads"]) text += size_text(sizes, "kv_heads", " /");
  return text + ", " + sizes["dtype"].get<std::string>();
}

std::string other_text(const Json& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes.items()) {
    if (value == 0 || (name == "batch" && value == 1)) continue;
    text += (text.empty() ? "" : ", ") + (name == "dtype" ? "" : std::string(name) + " ") +
            (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

/// Sizes, type, and what of the tiles and options tells points of one problem apart.
std::string problem_text(const PointResult& result) {
  const Json point = point_json(result, Feasibility::silent);
  const Json& sizes = point["problem"];
  std::string text = sizes.contains("seq_q") ? attention_text(sizes) : other_text(sizes);
  if (sizes.contains("o_dtype")) text += ", O " + sizes["o_dtype"].get<std::string>();
  if (!point.contains("options")) return text;
  for (const char* option : {"variant", "splits", "row_splits"}) {
    if (!point["options"].contains(option)) continue;
    const Json& value = point["options"][option];
    text += ", " + (value.is_string() ? value.get<std::string>() : std::string(option) + " " + value.dump());
  }
  if (point["options"].value("deterministic", false)) text += ", deterministic";
  return text;
}

Count whole_tiles(Count size, Count tile) { return tile > 0 ? ceil_div(size, tile) * tile : size; }

/// What the kernel reads where it reads whole tiles, of algorithms whose bill with whole tiles is known. Stores are
/// clipped.
std::optional<Bytes> whole_tile_reads(std::string_view algorithm, const Case& part) {
  if (algorithm == "flash2" || algorithm == "flash3") return padded_flash2_bill(part).total().read_bytes;
  if (algorithm != "gemm") return std::nullopt;
  Case padded = part;
  padded.shapes.m = whole_tiles(padded.shapes.m, padded.tiling.block_m);
  padded.shapes.n = whole_tiles(padded.shapes.n, padded.tiling.block_n);
  padded.shapes.k = whole_tiles(padded.shapes.k, padded.tiling.block_k);
  return closed_form(algorithm, padded).total().read_bytes;
}

std::optional<Bytes> whole_tile_reads(const PointResult& result) {
  Bytes sum;
  for (const Case& part : cases_of(result)) {
    const auto reads = whole_tile_reads(result.request.algorithm->name, part);
    if (!reads) return std::nullopt;
    sum += *reads;
  }
  return sum;
}

/// Bytes that the ledger bills as reads and that no SM reads: the L2 carries out an addition in memory, of which only
/// the summand crosses the edge. The sums are loaded once, by the last kernel.
Bytes added_in_memory(const PointResult& result) {
  const bool adds = result.options.accumulation == Accumulation::unordered;
  const Bytes read = result.counted[TensorName::dQacc].read_bytes;
  if (!adds || read.value() == 0) return {};
  return read - bytes_of(Elements(elements_in_memory(TensorName::dQacc, result)), result.problem.stat_dtype);
}

void predict_edge(ValidatedPoint& point) {
  const Traffic ledger = point.result.counted.total();
  const Bytes added = added_in_memory(point.result);
  point.edge_read = ledger.read_bytes - added;
  point.edge_write = ledger.write_bytes;
  point.edge_basis = added.value() > 0 ? "ledger, additions in memory as writes" : "ledger";
  if (point.observation.execution.tails != Tails::padded) return;
  if (const auto reads = whole_tile_reads(point.result)) {
    point.edge_read = *reads;
    point.edge_basis = "whole tiles";
  }
}

PointResult counted_as_measured(const PointRequest& request) {
  PointResult result = evaluated_as_measured(request);
  if (result.refusal) throw InputError(*result.refusal);
  return result;
}

PredictedMemory memory_in_closed_form(const PreparedPoint& prepared) {
  PredictedMemory sum{.basis = "closed form"};
  for (const PreparedPart& part : prepared.parts) {
    sum.read += part.hbm.read;
    sum.write += part.hbm.write;
  }
  return sum;
}

/// What the engine says of device memory; nothing where the point has no blocks, or too many events.
std::optional<PredictedMemory> simulated_memory(const PointResult& result, const PreparedPoint& prepared) {
  if (!has_blocks(result.request.algorithm->name)) return std::nullopt;
  TimedPoint time;
  time.execution = prepared.execution;
  time.rates = prepared.rates;
  try {
    const LevelTraffic levels = simulated(result, time, {}).levels;
    return PredictedMemory{.read = levels.dram_read, .write = levels.dram_write, .basis = "engine"};
  } catch (const TooManyEvents&) {
    return std::nullopt;
  }
}

void predict_memory(ValidatedPoint& point, MemoryBy by) {
  const ObservedBytes& seen = point.observation.profiled;
  if (!point.prepared || (!seen.dram_read && !seen.dram_write)) return;
  if (by == MemoryBy::engine) point.memory = simulated_memory(point.result, *point.prepared);
  if (!point.memory) point.memory = memory_in_closed_form(*point.prepared);
}

bool is_ragged_causal(const PointResult& result) {
  const Problem& problem = result.problem;
  if (problem.mask.kind == MaskKind::none || !result.tiling) return false;
  const Tiling& tiling = *result.tiling;
  return (tiling.block_q > 0 && problem.seq_q % tiling.block_q != 0) ||
         (tiling.block_k > 0 && problem.seq_k % tiling.block_k != 0);
}

Row row_of(const ValidatedPoint& point, std::size_t index, Metric metric) {
  Row row;
  row.source = point.observation.source;
  row.kernel = point.observation.kernel;
  row.own = point.observation.own;
  row.problem = point.problem;
  row.metric = metric;
  row.point = index;
  return row;
}

std::string difference_in(std::string_view tensor, const Traffic& counted, const Traffic& ledger) {
  return std::string(tensor) + ": counted " + std::to_string(counted.read_bytes.value()) + " B read and " +
         std::to_string(counted.write_bytes.value()) + " B written, predicted " +
         std::to_string(ledger.read_bytes.value()) + " and " + std::to_string(ledger.write_bytes.value());
}

/// All bytes together, and whether those of each tensor are the ledger's.
Row tensors_row(const ValidatedPoint& point, std::size_t index) {
  Row row = row_of(point, index, Metric::tensors);
  const Work& counted = *point.observation.counted;
  const Work& ledger = point.result.counted;
  row.measured = static_cast<double>(counted.total().total_bytes().value());
  row.predicted = static_cast<double>(ledger.total().total_bytes().value());
  row.basis = "ledger";
  for (std::size_t i = 0; i < tensor_count && row.within; ++i) {
    row.within = counted.tensors[i] == ledger.tensors[i];
    if (!row.within) row.detail = difference_in(tensor_names[i], counted.tensors[i], ledger.tensors[i]);
  }
  return row;
}

/// What the model says of a level, and what that is.
struct LevelBytes {
  Bytes bytes;
  std::string_view basis;
};

std::optional<LevelBytes> predicted_bytes(const ValidatedPoint& point, Metric metric) {
  switch (metric) {
    case Metric::edge_read:
      return LevelBytes{point.edge_read, point.edge_basis};
    case Metric::edge_write:
      return LevelBytes{point.edge_write, point.edge_basis};
    case Metric::l2_read:
      return LevelBytes{point.edge_read, "edge of the SM: reads that neighbours share are not joined"};
    case Metric::l2_write:
      return LevelBytes{point.edge_write, "edge of the SM"};
    case Metric::dram_read:
      if (!point.memory) return std::nullopt;
      return LevelBytes{point.memory->read, point.memory->basis};
    case Metric::dram_write:
      if (!point.memory) return std::nullopt;
      return LevelBytes{point.memory->write, point.memory->basis};
    default:
      return std::nullopt;
  }
}

std::optional<Bytes> measured_bytes(const ObservedBytes& profiled, Metric metric) {
  switch (metric) {
    case Metric::edge_read:
      return profiled.edge_read;
    case Metric::edge_write:
      return profiled.edge_write;
    case Metric::l2_read:
      return profiled.l2_read;
    case Metric::l2_write:
      return profiled.l2_write;
    case Metric::dram_read:
      return profiled.dram_read;
    case Metric::dram_write:
      return profiled.dram_write;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool agrees_at_edge(double predicted, double measured, bool ragged_causal) {
  const double share = ragged_causal ? ragged_causal_edge_share : edge_share;
  return std::abs(measured - predicted) <= std::max(mebibyte, share * predicted);
}

ValidatedPoint validated_point(Observation observation, const std::shared_ptr<const Device>& device, MemoryBy by) {
  PointRequest request = observation.request;
  request.device = device;
  request.overflowing = Overflowing::counted;  // it ran
  ValidatedPoint point{.observation = std::move(observation), .result = counted_as_measured(request)};
  point.problem = problem_text(point.result);
  point.ragged_causal = is_ragged_causal(point.result);
  predict_edge(point);
  try {
    point.prepared = prepare(point.result,
                             [&](std::string_view, const Case&, const Device&) { return point.observation.execution; });
  } catch (const InputError& error) {
    point.not_timed = error.what();
  }
  predict_memory(point, by);
  return point;
}

TimeEstimate timed_on(const ValidatedPoint& point, const Device& device, const std::string& kernel) {
  Execution execution = point.observation.execution;
  execution.kernel = kernel;
  const MachineRates rates = machine_rates(device, execution, point.result.problem.dtype);
  return time_of(*point.prepared, point.result.request.algorithm->name, rates);
}

Baselines baselines_of(const ValidatedPoint& point) {
  const PointResult& result = point.result;
  const Roofline roofline = roofline_of(*result.request.device, result.problem.dtype);
  const auto seconds = [&](Bytes bytes) -> std::optional<double> {
    const TimeBound bound = time_bound(roofline, {.flops = result.counted.matmul_flops, .hbm = bytes});
    return bound.seconds ? std::optional(bound.seconds->value) : std::nullopt;
  };
  return {.roofline = seconds(result.compulsory.total().total_bytes()),
          .two_level = seconds(result.counted.total().total_bytes())};
}

std::vector<Row> traffic_rows(const ValidatedPoint& point, std::size_t index) {
  std::vector<Row> rows;
  if (point.observation.counted) rows.push_back(tensors_row(point, index));
  for (const Metric metric : metrics) {
    const auto measured = measured_bytes(point.observation.profiled, metric);
    const auto predicted = predicted_bytes(point, metric);
    if (!measured || !predicted) continue;
    Row row = row_of(point, index, metric);
    row.measured = static_cast<double>(measured->value());
    row.predicted = static_cast<double>(predicted->bytes.value());
    row.basis = predicted->basis;
    if (metric == Metric::edge_read || metric == Metric::edge_write) {
      row.within = agrees_at_edge(row.predicted, row.measured, point.ragged_causal);
      if (!row.within) row.detail = known_cause(row.kernel, metric);
    } else if (std::abs(row.error()) > error_to_explain) {
      row.detail = known_cause(row.kernel, metric);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Row time_row(const ValidatedPoint& point, std::size_t index, const TimeEstimate& time) {
  Row row = row_of(point, index, Metric::time);
  row.measured = point.observation.time->seconds;
  row.predicted = time.seconds;
  row.basis = "closed form";
  row.baselines = baselines_of(point);
  row.parts = TimeParts{.bounds = time.bounds, .floor = time.floor};
  return row;
}

}  // namespace tilemeter::validation
