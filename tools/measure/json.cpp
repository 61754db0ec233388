#include "tools/measure/json.hpp"

#include "sim/catalog.hpp"
#include "tools/gpu.hpp"

namespace tilemeter {
namespace {

template <class Quantity>
Json value_or_null(const std::optional<Quantity>& quantity) {
  return quantity ? Json(quantity->value) : Json(nullptr);
}

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

/// An amount for every unit of time: null where there is nothing.
Json rate_json(double amount, double seconds) { return amount > 0 ? Json(amount / seconds) : Json(nullptr); }

Json gate_json(const kernels::GateResult& gate) {
  Json json;
  json["ok"] = !gate.failure;
  json["rows"] = gate.rows;
  json["rows_in_all"] = gate.rows_in_all;
  Json& tensors = json["tensors"] = Json::object();
  for (const kernels::TensorCheck& check : gate.tensors) {
    Json& tensor = tensors[std::string(name_of(check.tensor))];
    tensor["error"] = check.agreement.error;
    tensor["rms"] = number_or_null(check.agreement.rms);
    tensor["tolerance"] = check.agreement.tolerance;
    tensor["max_error"] = check.agreement.max_error;
    tensor["allowed_max_error"] = number_or_null(check.agreement.allowed_max_error);
    tensor["not_finite"] = check.agreement.not_finite;
  }
  return json;
}

Json tensor_traffic(const Traffic& traffic) {
  Json json;
  json["read_elements"] = traffic.read.value();
  json["write_elements"] = traffic.write.value();
  json["read_bytes"] = traffic.read_bytes.value();
  json["write_bytes"] = traffic.write_bytes.value();
  return json;
}

/// By the kernel's counters, with the simulator's verdicts beside them.
Json traffic_json(const Measurement& measurement) {
  const Work& counted = *measurement.counted;
  const Traffic total = counted.total();
  Json json;
  json["bytes"] = {
      {"read", total.read_bytes.value()}, {"write", total.write_bytes.value()}, {"total", total.total_bytes().value()}};
  json["tiles"] = counted.tiles;
  json["equals_ledger"] = !difference(counted, measurement.bill.counted);
  json["equals_closed_form"] = measurement.bill.equal() && json["equals_ledger"];
  Json& tensors = json["tensors"] = Json::object();
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (!counted.tensors[i].empty()) tensors[std::string(tensor_names[i])] = tensor_traffic(counted.tensors[i]);
  }
  return json;
}

Json seconds_json(const TimeSummary& summary) {
  Json json;
  json["median"] = summary.seconds.p50;
  json["mean"] = summary.seconds.mean;
  json["half_width95"] = summary.seconds.half_width95;
  json["least"] = summary.seconds.least;
  json["p5"] = summary.seconds.p5;
  json["p95"] = summary.seconds.p95;
  json["most"] = summary.seconds.most;
  json["quartile_range"] = summary.quartile_range;
  return json;
}

Json clocks_json(const TimeSummary& summary) {
  Json json;
  json["sm_hertz"] = value_or_null(summary.sm_clock);
  json["memory_hertz"] = value_or_null(summary.memory_clock);
  json["fall"] = number_or_null(summary.clock_fall);
  json["power_capped"] = summary.power_capped;
  json["slowed_down"] = summary.slowed_down;
  return json;
}

Json time_json(const MeasuredTime& time, Bytes edge) {
  const TimeSummary& summary = time.summary;
  const double median = summary.seconds.p50;
  Json json;
  json["regime"] = name_of(time.regime);
  json["method"] = name_of(summary.method);
  json["launches"] = summary.launches;
  json["samples"] = summary.seconds.count;
  json["discarded"] = summary.discarded;
  json["outliers"] = summary.outliers;
  json["flush_bytes"] = summary.flushed.value();
  json["seconds"] = seconds_json(summary);
  json["flops_per_second"] = rate_json(time.verdict.flops_per_second, 1);
  json["share_of_peak"] = time.verdict.flops_per_second > 0 ? number_or_null(time.verdict.share_of_peak) : nullptr;
  json["edge_bytes_per_second"] = rate_json(static_cast<double>(edge.value()), median);
  json["compulsory_bytes_per_second"] = rate_json(time.verdict.compulsory_bytes_per_second, 1);
  json["share_of_hbm"] = number_or_null(time.verdict.share_of_hbm);
  json["clocks"] = clocks_json(summary);
  json["watts"] = value_or_null(summary.power);
  const bool back_to_back = time.regime == Regime::sustained;  // else the power is also that of flushes and pauses
  json["joules_per_launch"] = back_to_back && summary.power ? Json(summary.power->value * median) : Json(nullptr);
  json["valid"] = !time.verdict.invalid;
  json["invalid"] = text_or_null(time.verdict.invalid);
  json["labels"] = time.verdict.labels;
  return json;
}

}  // namespace

Json measurement_json(const Measurement& measurement) {
  const Json bill = point_json(measurement.bill, Feasibility::silent);
  Json json;
  json["kernel"] = measurement.plan.kernel->name;
  for (const char* key : {"algorithm", "problem", "tiling", "options"}) {
    if (bill.contains(key)) json[key] = bill[key];
  }
  json["supported"] = !measurement.refusal;
  json["reason"] = text_or_null(measurement.refusal);
  if (measurement.refusal) return json;
  json["failure"] = text_or_null(measurement.failure);
  json["gate"] = gate_json(measurement.gate);
  if (!measurement.counted) return json;
  json["traffic"] = traffic_json(measurement);
  const LaunchDemand demand = demand_of(measurement.bill);
  json["compulsory_bytes"] = demand.compulsory.value();
  json["useful_flops"] = demand.flops.value();
  json["matmul_flops"] = measurement.bill.counted.matmul_flops.value();
  const Bytes edge = measurement.counted->total().total_bytes();
  if (measurement.profiled_kernels) json["profiled_kernels"] = *measurement.profiled_kernels;
  Json& times = json["times"] = Json::array();
  for (const MeasuredTime& time : measurement.times) times.push_back(time_json(time, edge));
  return json;
}

Json measure_document(const MeasureSetting& setting, const std::vector<Measurement>& measurements) {
  Json document = document_json("measure", setting.arguments);
  document["commit"] = setting.commit;
  document["date"] = setting.date;
  document["gpu"] = gpu_json(setting.gpu);
  document["device"] = setting.device ? Json(setting.device->name) : Json(nullptr);
  document["seed"] = setting.seed;
  document["flush_bytes"] = setting.flush.value();
  document["empty_launch_seconds"] = {{"cold", value_or_null(setting.empty_cold)},
                                      {"warm", value_or_null(setting.empty_warm)}};
  Json& points = document["points"] = Json::array();
  for (const Measurement& measurement : measurements) points.push_back(measurement_json(measurement));
  return document;
}

}  // namespace tilemeter
