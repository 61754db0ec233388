#include "tools/neighbour_json.hpp"

#include "model/closed_form/gemm.hpp"
#include "sim/catalog.hpp"

namespace tilemeter {
namespace {

using Json = nlohmann::ordered_json;

void add_sizes(const PointResult& result, Json& json) {
  const Shapes& shapes = result.shapes;
  switch (result.request.algorithm->computation()) {
    case Computation::gemm:
      json.update({{"m", shapes.m}, {"n", shapes.n}, {"k", shapes.k}});
      return;
    case Computation::layer:
      json.update({{"tokens", shapes.tokens}, {"d_in", shapes.d_in}, {"d_out", shapes.d_out}});
      return;
    case Computation::softmax:
      json.update({{"rows", shapes.rows}, {"cols", shapes.cols}});
      return;
    case Computation::chain:
      json.update(
          {{"length", shapes.length}, {"ops", result.options.ops}, {"side_inputs", result.options.side_inputs}});
      return;
    default:
      return;
  }
}

}  // namespace

Json neighbour_problem_json(const PointResult& result) {
  Json json;
  json["batch"] = result.problem.batch;
  add_sizes(result, json);
  json["dtype"] = name_of(result.problem.dtype);
  if (result.request.algorithm->computation() == Computation::layer) {
    json["weight_dtype"] = name_of(dtype_of(result.options.weight_type));
    json["group_size"] = result.options.group_size;
  }
  return json;
}

Json neighbour_tiling_json(const PointResult& result) {
  const Tiling& tiling = *result.tiling;
  const auto size = [](Count elements) { return elements == 0 ? Json(nullptr) : Json(elements); };
  const Algorithm& algorithm = *result.request.algorithm;
  Json json;
  if (algorithm.order() == LoopOrder::product) {
    json["block_m"] = size(tiling.block_m);
    json["block_n"] = size(tiling.block_n);
  }
  json["block_k"] = size(tiling.block_k);
  if (algorithm.computation() == Computation::gemm) {
    const Case point = {.problem = {}, .tiling = tiling, .options = result.options};
    json["order"] = name_of(gemm_order_of(point));
  }
  json["rule"] = name_of(tiling.rule);
  return json;
}

}  // namespace tilemeter
