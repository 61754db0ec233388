#include "tools/time/json.hpp"

#include <algorithm>
#include <cmath>

#include "model/register_use.hpp"

namespace tilemeter {
namespace {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json bounds_json(const TimeBounds& bounds) {
  Json json;
  for (const Resource resource : resources) json[std::string(name_of(resource))] = bounds.at(resource);
  return json;
}

Json waves_json(const WaveShape& waves) {
  Json json;
  json["blocks"] = waves.blocks;
  json["resident_blocks"] = waves.resident;
  json["waves"] = waves.waves();
  json["last_wave_blocks"] = waves.last_blocks();
  json["last_wave_share"] = waves.last_share();
  json["wave_efficiency"] = waves.efficiency();
  return json;
}

Json launch_json(const LaunchEstimate& launch) {
  Json json;
  json["kernel"] = launch.kernel;
  json["times"] = launch.times;
  if (launch.waves) json.update(waves_json(*launch.waves));
  if (launch.step) {
    json["step_clocks"] = {{"unit", launch.step->unit}, {"chain", launch.step->chain}};
    json["block_overhead_clocks"] = launch.step->fixed;
    json["imbalance"] = launch.imbalance;
  }
  json["seconds"] = launch.seconds;
  return json;
}

/// Everything of "time" but the seconds, which come first.
Json time_json(const PointResult& result, const TimedPoint& time, double seconds, std::string_view source) {
  const TimeEstimate& estimate = time.estimate;
  Json json;
  json["seconds"] = seconds;
  json["low"] = estimate.low;
  json["high"] = std::max(estimate.high, seconds);
  json["binding"] = name_of(estimate.bounds.binding());
  json["roofline_seconds"] = or_null(time.roofline.peak);
  json["bounds"] = bounds_json(estimate.bounds);
  json["source"] = source;
  json["kind"] = name_of(seconds < launch_bound_seconds ? TimeKind::launch_bound : estimate.kind);
  json["floor_seconds"] = estimate.floor;
  json["serial_seconds"] = estimate.floor + estimate.bounds.serial();
  json["roofline_sustained_seconds"] = or_null(time.roofline.sustained);
  json["sustained_share"] = or_null(time.roofline.share);
  json["clock_hz"] = time.clock.value;
  json["share_of_peak"] = or_null(share_of_peak(result, time, seconds));
  return json;
}

/// A time by a fit, with its 95 % interval: what was measured lay within so much of what was predicted.
Json fitted_json(const PointResult& result, const TimedPoint& time) {
  constexpr double normal95 = 1.96;
  const double seconds = time.estimate.seconds;
  const double width = std::exp(normal95 * time.rates.fit->spread);
  Json json = time_json(result, time, seconds, "fit");
  json["low"] = seconds / width;
  json["high"] = seconds * width;
  return json;
}

Json by_unit(const std::array<Picoseconds, sm_unit_count>& busy) {
  Json json;
  for (const SmUnit unit : sm_units) {
    json[std::string(name_of(unit))] = seconds_of(busy[static_cast<std::size_t>(unit)]);
  }
  return json;
}

Json by_cause(const std::array<Picoseconds, wait_count>& waits) {
  Json json;
  for (const Wait wait : wait_causes) {
    json[std::string(name_of(wait))] = seconds_of(waits[static_cast<std::size_t>(wait)]);
  }
  return json;
}

}  // namespace

Json execution_json(const TimedPoint& time) {
  const Execution& execution = time.execution;
  Json json;
  if (!execution.kernel.empty()) json["kernel"] = execution.kernel;
  json["matrix"] = name_of(execution.matrix);
  json["overlap"] = name_of(execution.overlap);
  json["scheduling"] = name_of(execution.scheduling);
  json["row_order"] = name_of(execution.rows);
  json["fastest"] = name_of(execution.fastest);
  json["tails"] = name_of(execution.tails);
  json["maxima"] = name_of(execution.maxima);
  json["turns"] = name_of(execution.turns);
  json["warps"] = execution.threads / warp_threads;
  json["math_warps"] = execution.math_warps;
  json["blocks_per_sm"] = execution.blocks_per_sm ? Json(*execution.blocks_per_sm) : Json(nullptr);
  json["clock_hz"] = time.clock.value;
  return json;
}

namespace {

Json dram_json(Bytes read, Bytes write, Bytes left, std::string_view source) {
  Json json;
  json["total"] = (read + write).value();
  json["read"] = read.value();
  json["write"] = write.value();
  json["left_in_l2"] = left.value();
  json["source"] = source;
  return json;
}

}  // namespace

Json hbm_json(const TimedPoint& time) {
  return dram_json(time.hbm.read, time.hbm.write, time.hbm.left_dirty, "closed form");
}

Json hbm_json(const Simulated& simulated) {
  const LevelTraffic& levels = simulated.levels;
  return dram_json(levels.dram_read, levels.dram_write, levels.left_dirty, "engine");
}

Json time_json(const PointResult& result, const TimedPoint& time) {
  if (time.rates.fit) return fitted_json(result, time);
  return time_json(result, time, time.estimate.seconds, "closed form");
}

Json time_json(const PointResult& result, const TimedPoint& time, const Simulated& simulated) {
  const double seconds = seconds_of(simulated.time);
  const Bytes dram = simulated.levels.dram_read + simulated.levels.dram_write;
  TimedPoint bounded = time;  // by what the engine moves, not by what the closed form expects
  TimeEstimate& estimate = bounded.estimate;
  estimate.bounds.at(Resource::hbm) = static_cast<double>(dram.value()) / time.rates.hbm;
  estimate.low = std::min(seconds, estimate.floor + estimate.bounds.largest());
  if (!time.rates.fit) return time_json(result, bounded, seconds, "engine");
  Json json = fitted_json(result, bounded);
  json["engine_seconds"] = seconds;
  return json;
}

Json estimate_json(const TimedPoint& time) {
  Json json;
  json["seconds"] = time.estimate.seconds;
  json["low"] = time.estimate.low;
  json["high"] = time.estimate.high;
  json["kind"] = name_of(time.estimate.kind);
  json["launches"] = Json::array();
  for (const LaunchEstimate& launch : time.estimate.launches) json["launches"].push_back(launch_json(launch));
  return json;
}

namespace {

Json levels_json(const LevelTraffic& levels) {
  const Count looked_up = levels.l2_hits.value() + levels.dram_read.value();
  Json json;
  json["sm_edge"] = {{"read", levels.edge.read_bytes.value()}, {"write", levels.edge.write_bytes.value()}};
  json["l2"] = {{"hits", levels.l2_hits.value()},
                {"misses", levels.dram_read.value()},
                {"hit_share",
                 looked_up == 0 ? Json(nullptr)
                                : Json(static_cast<double>(levels.l2_hits.value()) / static_cast<double>(looked_up))}};
  json["dram"] = {{"read", levels.dram_read.value()}, {"write", levels.dram_write.value()}};
  return json;
}

}  // namespace

Json levels_json(const PointResult& result, const TimedPoint& time) {
  LevelTraffic levels;
  levels.edge = result.counted.total();
  levels.dram_read = std::min(time.hbm.read, levels.edge.read_bytes);
  levels.dram_write = time.hbm.write;
  levels.l2_hits = levels.edge.read_bytes - levels.dram_read;
  return levels_json(levels);
}

Json levels_json(const Simulated& simulated) { return levels_json(simulated.levels); }

Json waits_json(const Simulated& simulated) {
  double resident = 0;
  double working = 0;
  std::array<double, wait_count> waits{};
  for (const SmTime& sm : simulated.sms) {
    resident += seconds_of(sm.resident);
    working += seconds_of(sm.working);
    for (std::size_t i = 0; i < wait_count; ++i) waits[i] += seconds_of(sm.waits[i]);
  }
  const auto share = [&](double seconds) { return resident > 0 ? seconds / resident : 0; };
  Json json;
  json["working"] = share(working);
  for (const Wait wait : wait_causes) {
    json[std::string(name_of(wait))] = share(waits[static_cast<std::size_t>(wait)]);
  }
  return json;
}

Json launches_json(const Simulated& simulated) {
  Json list = Json::array();
  for (const LaunchTime& launch : simulated.launches) {
    Json json;
    json["kernel"] = launch.kernel;
    json["blocks"] = launch.blocks;
    json["resident_blocks"] = launch.resident;
    json["waves"] = launch.waves;
    json["seconds"] = seconds_of(launch.time);
    list.push_back(std::move(json));
  }
  return list;
}

Json simulated_sms_json(const Simulated& simulated) {
  Json list = Json::array();
  for (std::size_t i = 0; i < simulated.sms.size(); ++i) {
    const SmTime& sm = simulated.sms[i];
    Json json;
    json["index"] = i;
    json["blocks"] = sm.blocks;
    json["read_bytes"] = sm.traffic.read_bytes.value();
    json["write_bytes"] = sm.traffic.write_bytes.value();
    json["peak_bytes"] = sm.shared_peak.value();
    json["resident_seconds"] = seconds_of(sm.resident);
    json["working_seconds"] = seconds_of(sm.working);
    json["busy_seconds"] = by_unit(sm.busy);
    json["wait_seconds"] = by_cause(sm.waits);
    list.push_back(std::move(json));
  }
  return list;
}

Json rates_json(const MachineRates& rates) {
  Json list = Json::array();
  for (const RateSource& rate : rates.sources) {
    list.push_back({{"name", rate.name}, {"value", rate.value}, {"unit", rate.unit}, {"from", rate.from}});
  }
  return list;
}

void add_closed_form_time(const PointResult& result, Json& point) {
  if (!result.request.device || result.refusal) return;
  try {
    const TimedPoint time = timed(result, default_execution);
    point["hbm"] = hbm_json(time);
    point["time"] = time_json(result, time);
  } catch (const InputError& error) {
    point["time"] = {{"seconds", nullptr}, {"reason", error.what()}};
  }
}

}  // namespace tilemeter
