#include "tools/json.hpp"

#include <array>

#include "model/closed_form/bill.hpp"
#include "sim/catalog.hpp"
#include "tools/hints.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/neighbour_json.hpp"
#include "tools/options/text.hpp"
#include "tools/sram_json.hpp"
#include "tools/version.hpp"

namespace tilemeter {
namespace {

Json side(const std::optional<Count>& side) { return side ? *side : Count{-1}; }

Json segments_json(const std::vector<Segment>& segments) {
  Json list = Json::array();
  for (const Segment& segment : segments) list.push_back({{"seq_q", segment.seq_q}, {"seq_k", segment.seq_k}});
  return list;
}

Count total_length(const std::vector<Segment>& segments, Count Segment::*length) {
  return named("the sum of --segments lengths", [&] {
    Count sum = 0;
    for (const Segment& segment : segments) sum = checked::add(sum, segment.*length);
    return sum;
  });
}

bool has_sequences(const PointResult& result) {
  return tilemeter::has_sequences(result.request.algorithm->computation());
}

}  // namespace

Json problem_json(const PointResult& result) {
  if (!has_sequences(result)) return neighbour_problem_json(result);
  const Problem& problem = result.problem;
  const auto& segments = result.request.segments;
  Json json;
  json["batch"] = segments ? static_cast<Count>(segments->size()) : problem.batch;
  json["heads"] = problem.heads;
  json["kv_heads"] = problem.kv_heads;
  json["seq_q"] = segments ? total_length(*segments, &Segment::seq_q) : problem.seq_q;
  json["seq_k"] = segments ? total_length(*segments, &Segment::seq_k) : problem.seq_k;
  json["head_dim"] = problem.head_dim;
  json["head_dim_v"] = problem.head_dim_v;
  json["mask"] = name_of(problem.mask.kind);
  if (problem.mask.kind == MaskKind::window) {
    json["window_left"] = side(problem.mask.left);
    json["window_right"] = side(problem.mask.right);
  }
  json["dtype"] = name_of(problem.dtype);
  json["stat_dtype"] = name_of(problem.stat_dtype);
  if (problem.score_dtype != problem.dtype) json["score_dtype"] = name_of(problem.score_dtype);
  if (problem.o_dtype != problem.dtype) json["o_dtype"] = name_of(problem.o_dtype);
  if (problem.dtype == DType::fp8 && problem.fp8_output != DType::fp8) json["o_dtype"] = name_of(problem.fp8_output);
  if (problem.packing == Packing::packed) json["packed"] = true;
  if (segments) json["segments"] = segments_json(*segments);
  return json;
}

namespace {

/// Chunks in the place of tile sizes: two of them, or how many rows pass by a state.
Json chunks_json(const PointResult& result) {
  const Tiling& tiling = *result.tiling;
  const auto size = [](Count rows) { return rows == 0 ? Json(nullptr) : Json(rows); };
  Json json;
  if (result.request.algorithm->order() == LoopOrder::chunks) {
    json["chunk_q"] = size(tiling.block_q);
    json["chunk_k"] = size(tiling.block_k);
    json["rule"] = name_of(tiling.rule);
  } else {
    json["chunk"] = result.options.chunk;
    json["rule"] = name_of(result.options.chunk == Options{}.chunk ? BlockRule::standard : BlockRule::given);
  }
  return json;
}

}  // namespace

Json tiling_json(const PointResult& result) {
  if (!result.tiling) return nullptr;
  if (!has_sequences(result)) return neighbour_tiling_json(result);
  const LoopOrder order = result.request.algorithm->order();
  if (order == LoopOrder::chunks || order == LoopOrder::recurrent) return chunks_json(result);
  const Tiling& tiling = *result.tiling;
  const auto size = [](Count rows) { return rows == 0 ? Json(nullptr) : Json(rows); };
  Json json;
  json["block_q"] = size(tiling.block_q);
  json["block_k"] = size(tiling.block_k);
  if (order == LoopOrder::gemm) {
    json["block_d"] = tiling.block_d == 0 ? result.problem.head_dim : tiling.block_d;
  }
  json["stages"] = tiling.stages;
  json["rule"] = name_of(tiling.rule);
  return json;
}

namespace {

/// --unfused of the forward or the backward pass, whichever `computation` is.
std::string unfused_text(const Options& options, Computation computation) {
  const UnfusedGradients& gradients = options.unfused_gradients;
  const bool backward = computation == Computation::gradients;
  std::vector<std::string_view> steps;
  if (backward ? gradients.scale : options.unfused_scale) steps.push_back("scale");
  if (backward ? gradients.mask : options.unfused_mask) steps.push_back("mask");
  if (backward ? gradients.dropout : options.unfused_dropout) steps.push_back("dropout");
  return steps.empty() ? "none" : join(steps, ",");
}

/// The variant that ran, of an algorithm that has some.
Variant variant_of(const PointResult& result) {
  if (result.options.variant) return *result.options.variant;
  const Formula& formula = result.request.algorithm->formula();
  if (formula.default_variant == nullptr) return formula.variants.front();
  return formula.default_variant({.problem = result.problem, .tiling = {}, .options = result.options});
}

/// The options of the algorithm itself that differ from their defaults; `splits` always, with the `split_slots` by
/// which it was chosen.
Json options_json(const PointResult& result) {
  const Formula& formula = result.request.algorithm->formula();
  const Options& options = result.options;
  const Options defaults;
  Json json = Json::object();
  if (!formula.variants.empty()) json["variant"] = name_of(variant_of(result));
  const std::string unfused = unfused_text(options, formula.computation);
  if (unfused != unfused_text(defaults, formula.computation)) json["unfused"] = unfused;
  if (options.mask_shape != defaults.mask_shape) json["mask_shape"] = "full";
  if (options.init != defaults.init) json["init"] = true;
  if (options.first_visit != defaults.first_visit) json["elide_first"] = true;
  if (options.row_splits != defaults.row_splits) json["row_splits"] = options.row_splits;
  if (options.empty_lse != defaults.empty_lse) json["empty_lse"] = "-inf";
  if (options.accumulation != defaults.accumulation) json["deterministic"] = true;
  if (options.splits) json["splits"] = *options.splits;
  if (options.splits && !result.request.options.splits) json["split_slots"] = options.split_slots;
  if (options.page_size != defaults.page_size) json["page_size"] = options.page_size;
  if (options.mistake != defaults.mistake) json["unsafe"] = name_of(options.mistake);
  return json;
}

Json elements_json(const Traffic& traffic) {
  Json json;
  json["read"] = traffic.read.value();
  json["write"] = traffic.write.value();
  json["total"] = traffic.total().value();
  return json;
}

Json bytes_json(const Traffic& traffic) {
  Json json;
  json["read"] = traffic.read_bytes.value();
  json["write"] = traffic.write_bytes.value();
  json["total"] = traffic.total_bytes().value();
  return json;
}

/// The tensors of every attention algorithm are shown even where nothing moves; others only where something does.
bool is_shown(const PointResult& result, std::size_t tensor, bool moves) {
  return moves || (has_sequences(result) && tensor <= index_of(TensorName::O));
}

Json traffic_json(const PointResult& result) {
  const Work& work = result.counted;
  const Traffic total = work.total();
  Json json;
  json["elements"] = elements_json(total);
  json["bytes"] = bytes_json(total);
  Json& tensors = json["tensors"] = Json::object();
  for (std::size_t i = 0; i < tensor_count; ++i) {
    const Traffic& traffic = work.tensors[i];
    if (!is_shown(result, i, !traffic.empty())) continue;
    Json& tensor = tensors[std::string(tensor_names[i])];
    tensor["read_elements"] = traffic.read.value();
    tensor["write_elements"] = traffic.write.value();
    tensor["read_bytes"] = traffic.read_bytes.value();
    tensor["write_bytes"] = traffic.write_bytes.value();
  }
  return json;
}

Json closed_form_json(const PointResult& result) {
  const Traffic total = result.closed.total();
  Json json;
  json["expression"] = result.expression;
  json["elements"] = elements_json(total);
  json["bytes"] = bytes_json(total);
  json["equal"] = result.equal();
  return json;
}

Json compulsory_json(const PointResult& result) {
  const Work& work = result.compulsory;
  const Traffic total = work.total();
  Json json;
  json["elements"] = total.total().value();
  json["bytes"] = total.total_bytes().value();
  Json& tensors = json["tensors"] = Json::object();
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (!is_shown(result, i, !work.tensors[i].empty())) continue;
    Json& tensor = tensors[std::string(tensor_names[i])];
    tensor["elements"] = work.tensors[i].total().value();
    tensor["bytes"] = work.tensors[i].total_bytes().value();
  }
  return json;
}

/// FLOPs that the visible pairs need: two products; of gradients five, or four where P is read and not computed again.
Count flops_of_pairs(const PointResult& result) {
  const Algorithm& algorithm = *result.request.algorithm;
  const bool gradients = algorithm.computation() == Computation::gradients;
  const bool keeps_scores = algorithm.name == "standard_backward";
  if (gradients && !keeps_scores) return useful_flops(result).value();
  const Count per_product = checked::add(result.problem.head_dim, result.problem.head_dim_v);
  return checked::multiply(result.pairs, checked::multiply(gradients ? 4 : 2, per_product));
}

void add_pairs(const PointResult& result, Json& json) {
  json["pair_flops"] = named("pair_flops", [&] { return flops_of_pairs(result); });
  json["pairs"] = result.pairs;
}

Json operations_json(const PointResult& result) {
  const Work& work = result.counted;
  Json json;
  json["matmul_flops"] = work.matmul_flops.value();
  if (has_sequences(result)) add_pairs(result, json);
  json["tiles"] = work.tiles;
  if (has_sequences(result)) json["empty_rows"] = result.empty_rows;
  Json& exp = json["exp"];
  exp["scores"] = work.exp.scores;
  exp["rescale"] = work.exp.rescale;
  exp["rescale_block"] = work.exp.rescale_block;
  exp["combine"] = work.exp.combine;
  return json;
}

Json numeric_json(const NumericCheck& check) {
  Json json;
  json["max_abs_error"] = check.max_abs_error;
  json["rel_frobenius"] = check.rel_frobenius;
  json["tolerance"] = check.tolerance;
  json["nan_rows"] = check.nan_rows;
  if (check.predicted_nan_rows) json["predicted_nan_rows"] = *check.predicted_nan_rows;
  json["max_lse_error"] = check.max_lse_error;
  json["ok"] = check.ok;
  return json;
}

Json sms_json(const std::vector<SmUse>& sms) {
  Json list = Json::array();
  for (std::size_t i = 0; i < sms.size(); ++i) {
    Json sm;
    sm["index"] = i;
    sm["blocks"] = sms[i].blocks;
    sm["read_bytes"] = sms[i].traffic.read_bytes.value();
    sm["write_bytes"] = sms[i].traffic.write_bytes.value();
    sm["peak_bytes"] = sms[i].peak.value();
    list.push_back(std::move(sm));
  }
  return list;
}

/// Device memory beyond inputs and outputs: tensors of a pass that are written and read again within it.
Json workspace_json(const PointResult& result) {
  Json json = Json::object();
  for (const TensorName name : {TensorName::D, TensorName::dQacc, TensorName::dKx, TensorName::dVx}) {
    if (result.counted[name].empty()) continue;
    const Count elements = elements_in_memory(name, result);
    Json& tensor = json["tensors"][std::string(name_of(name))];
    tensor["elements"] = elements;
    tensor["bytes"] = bytes_of(Elements(elements), dtype_of(name, result.problem)).value();
  }
  if (!json.empty()) {
    for (const std::string_view amount : {"elements", "bytes"}) {
      Count sum = 0;
      for (const auto& [name, tensor] : json["tensors"].items()) {
        sum = named("the workspace", [&] { return checked::add(sum, tensor[std::string(amount)].get<Count>()); });
      }
      json[std::string(amount)] = sum;
    }
  }
  if (result.workspace) {
    json["elements"] = result.workspace->elements.value();
    json["bytes"] = result.workspace->bytes.value();
  }
  return json;
}

void add_feasibility(const PointResult& result, Json& json) {
  const std::optional<std::string>& reason = result.refusal ? result.refusal : result.excess;
  json["feasible"] = !reason;
  json["reason"] = reason ? Json(*reason) : Json(nullptr);
}

void add_overflow(const Overflow& overflow, Json& json) {
  json["overflow_elements"] = overflow.elements;
  if (overflow.bytes) json["overflow_bytes"] = *overflow.bytes;
}

void add_bill(const PointResult& result, Json& json) {
  json["traffic"] = traffic_json(result);
  json["closed_form"] = closed_form_json(result);
  json["compulsory"] = compulsory_json(result);
  json["operations"] = operations_json(result);
}

}  // namespace

Json point_json(const PointResult& result, Feasibility feasibility) {
  Json json;
  json["algorithm"] = result.request.algorithm->name;
  json["problem"] = problem_json(result);
  if (result.request.device) json["device"] = result.request.device->name;
  json["tiling"] = tiling_json(result);
  if (Json options = options_json(result); !options.empty()) json["options"] = std::move(options);
  if (feasibility == Feasibility::stated) add_feasibility(result, json);
  if (result.overflow) add_overflow(*result.overflow, json);
  if (!result.refusal) add_bill(result, json);
  json["sram"] = sram_json(result);
  if (Json workspace = workspace_json(result); !workspace.empty()) json["workspace"] = std::move(workspace);
  if (result.numeric) json["numeric"] = numeric_json(*result.numeric);
  if (!result.sms.empty()) json["sms"] = sms_json(result.sms);
  if (!result.hints.empty()) json["warnings"] = result.hints;
  return json;
}

Json document_json(std::string_view command) {
  Json json;
  json["schema"] = 1;
  json["command"] = command;
  json["version"] = program_version;
  return json;
}

Json document_json(std::string_view command, const Arguments& arguments) {
  constexpr std::array<std::string_view, 7> showing = {"-o", "--format", "--resume", "-j", "-q", "-v", "--color"};
  Json json = document_json(command);
  json["arguments"] = arguments.spelled_out(showing);
  return json;
}

}  // namespace tilemeter
