// The intensity of one decoding step under grouped heads.
#include "model/decode.hpp"

#include "tools/output/number.hpp"
#include "tools/roofline/bound.hpp"
#include "tools/roofline/views.hpp"

namespace tilemeter::roofline {
namespace {

constexpr Count default_block = 128;
constexpr std::string_view decode_view = "--decode";

Problem problem_of(const Arguments& arguments) {
  Problem problem;
  problem.batch = count_of(arguments, "--batch", 1, 1);
  problem.heads = count_of(arguments, "--heads", 1, 1);
  problem.kv_heads = count_of(arguments, "--kv-heads", 1, problem.heads);
  problem.seq_q = count_of(arguments, "--seq-q", 1, 1);
  problem.seq_k = count_of(arguments, "--seq-k", 1, std::nullopt, decode_view);
  problem.head_dim = count_of(arguments, "--head-dim", 1, 128);
  problem.head_dim_v = count_of(arguments, "--head-dim-v", 1, problem.head_dim);
  problem.dtype = operand_type_of(arguments, "--dtype", DType::bf16);
  if (arguments.has("--causal")) problem.mask.kind = MaskKind::causal;
  validate(problem);
  return problem;
}

std::vector<SheetColumn> traffic_columns() {
  return {{"device", "device", ""},
          {"cache_bytes", "K and V", "bytes, once"},
          {"packed_bytes", "K and V packed", "bytes, SM edge"},
          {"unpacked_bytes", "K and V unpacked", "bytes, SM edge"}};
}

std::vector<SheetCell> traffic_cells(const Device& device, const DecodeCost& cost) {
  return {words(device.name), count(cost.cache.value()), count(cost.cache_packed.value()),
          count(cost.cache_unpacked.value())};
}

std::vector<std::string> notes_of(const Problem& problem, const DecodeCost& cost, Count block_q) {
  const Count each = size_of(problem.dtype);
  return {"query heads a K/V head: " + std::to_string(problem.group()) + "; intensity tends to g x 2 / b = " +
              fixed(2.0 * static_cast<double>(problem.group() * problem.seq_q) / static_cast<double>(each), 3) +
              " FLOP/B, whatever the batch",
          "bytes of device memory: Q, K and V read once and O written once (compulsory); the step also appends " +
              with_separators(cost.appended.value()) + " bytes to the cache of a layer",
          "SM edge, row blocks of " + std::to_string(block_q) +
              " rows: packed, the query heads of a K/V head share a row block; unpacked, each streams its own K and V, "
              "whose repeats come from the L2 or from device memory"};
}

}  // namespace

Result decode_step(const Arguments& arguments) {
  const Problem problem = problem_of(arguments);
  const Count block_q = count_of(arguments, "--block-q", 1, default_block);
  const DecodeCost step = decode_cost(problem, block_q);
  const Cost cost{.flops = step.flops, .hbm = step.least()};
  Result result;
  result.devices = devices_of(arguments, NoDevice::refused);
  result.sheet.title = "One decoding step of attention, one layer";
  result.sheet.columns = chained(traffic_columns(), bound_columns(arguments));
  result.sheet.notes = chained(notes_of(problem, step, block_q), bound_notes(result.devices, arguments));
  for (const Device& device : result.devices) {
    const Rooflines rooflines = rooflines_of(device, math_type_of(arguments, problem.dtype), arguments);
    result.sheet.rows.push_back(chained(traffic_cells(device, step), bound_cells(rooflines, cost, arguments)));
    result.sheet.notes =
        chained(std::move(result.sheet.notes), measured_notes(device.name, rooflines, cost, arguments));
    result.failures = chained(std::move(result.failures), measured_failures(device.name, rooflines, cost, arguments));
  }
  return result;
}

}  // namespace tilemeter::roofline
