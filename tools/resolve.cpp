#include "tools/resolve.hpp"

#include <algorithm>

#include "model/closed_form/chunked.hpp"
#include "sim/catalog.hpp"
#include "tools/options/point_table.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

constexpr Count device_tile_multiple = 16;         // rows of a matrix instruction
constexpr Count most_registers_per_block = 65536;  // a limit of CUDA, whatever the register file
constexpr Count bytes_a_register = 4;
constexpr Count blocks_per_sm = 2;  // that FlashAttention-2 counts on when it splits the keys

Problem problem_of(const PointRequest& request) {
  Problem problem = request.problem;
  problem.kv_heads = request.kv_heads.value_or(problem.heads);
  problem.head_dim_v = request.head_dim_v.value_or(problem.head_dim);
  problem.stat_dtype = request.stat_dtype.value_or(problem.dtype == DType::fp64 ? DType::fp64 : DType::fp32);
  problem.score_dtype = request.score_dtype.value_or(problem.dtype);
  problem.o_dtype = request.o_dtype.value_or(problem.dtype);
  if (request.segments) {
    for (const Segment& segment : *request.segments) {
      problem.seq_q = std::max(problem.seq_q, segment.seq_q);
      problem.seq_k = std::max(problem.seq_k, segment.seq_k);
    }
  }
  validate(problem);
  return problem;
}

/// Leaves the batch and the type of the operands, which every computation has.
void reset_sequences(PointRequest& request) {
  Problem problem;
  problem.batch = request.problem.batch;
  problem.dtype = request.problem.dtype;
  request.problem = problem;
  request.kv_heads.reset();
  request.head_dim_v.reset();
  request.stat_dtype.reset();
  request.segments.reset();
  request.block_q.reset();
}

PointRequest without_foreign_options(PointRequest request) {
  if (!has_sequences(request.algorithm->computation())) reset_sequences(request);
  for (const OwnOption& own : own_options()) {
    if (!has_word(request.algorithm->options, own.option.spec.name())) own.reset(request);
  }
  return request;
}

/// Whether the request holds the sizes of the algorithm's tile. In a list, --block-k alone may belong to another one.
bool gives_tile(const PointRequest& request) {
  switch (request.algorithm->order()) {
    case LoopOrder::product:
      return request.block_m.has_value();
    case LoopOrder::pieces:
      return request.block_k.has_value();
    case LoopOrder::chunks:
      return request.block_q || request.chunk_q || request.chunk_k;
    default:
      return request.block_q.has_value();
  }
}

BlockRule rule_of(const PointRequest& request, const Budget& budget) {
  if (!has_tile_sizes(*request.algorithm)) return BlockRule::standard;
  if (gives_tile(request)) return BlockRule::given;
  if (request.rule) return *request.rule;
  return budget.limited() ? BlockRule::fit : BlockRule::standard;
}

Tiling tiling_of(const PointRequest& request, const Problem& problem) {
  const bool chunks = request.algorithm->order() == LoopOrder::chunks;
  Tiling tiling = chunks ? chunks_of_paper(problem) : Tiling{};
  if (gives_tile(request)) {
    tiling.block_m = request.block_m.value_or(tiling.block_m);
    tiling.block_n = request.block_n.value_or(tiling.block_n);
    tiling.block_q = request.chunk_q.value_or(request.block_q.value_or(tiling.block_q));
    tiling.block_k = request.chunk_k.value_or(request.block_k.value_or(tiling.block_k));
  }
  tiling.block_d = request.block_d;
  tiling.stages = request.stages.value_or(request.algorithm->formula().stages);
  return tiling;
}

void limit_by_size(const PointRequest& request, Budget& budget) {
  const Size size = *request.sram;
  if (size.unit == SizeUnit::bytes) {
    budget.bytes = Bytes(size.amount);
  } else if (budget.placement == Placement::sram) {
    budget.elements = Elements(size.amount);
  } else {
    throw InputError("--sram " + to_string(size) +
                     " counts elements: shared memory takes a size in bytes, such as 100KiB, or add --placement sram");
  }
}

}  // namespace

std::vector<Case> parts_of(const PointRequest& request, const Case& whole) {
  if (!request.segments) return {whole};
  // Keys that no query sees have gradients all the same, which a backward pass writes: zeros.
  const bool writes_keys = request.algorithm->computation() == Computation::gradients;
  std::vector<Case> parts;
  for (const Segment& segment : *request.segments) {
    if (segment.seq_q == 0 && (!writes_keys || segment.seq_k == 0)) continue;
    Case part = whole;
    part.problem.seq_q = segment.seq_q;
    part.problem.seq_k = segment.seq_k;
    parts.push_back(std::move(part));
  }
  return parts;
}

bool has_tiles(const Algorithm& algorithm) { return algorithm.order() != LoopOrder::untiled; }

bool has_tile_sizes(const Algorithm& algorithm) {
  return has_tiles(algorithm) && algorithm.order() != LoopOrder::recurrent;
}

Budget budget_of(const PointRequest& request) {
  Budget budget;
  budget.placement = request.placement.value_or(request.device ? Placement::gpu : Placement::sram);
  budget.overflowing = request.overflowing;
  if (request.device) {
    budget.owner = request.device->name;
    budget.bytes = request.device->sm.shared_per_block;
    if (budget.placement == Placement::gpu) {
      budget.registers = Bytes(std::min(request.device->sm.registers, most_registers_per_block) * bytes_a_register);
    }
  }
  if (request.sram) {
    budget.bytes.reset();
    budget.owner += (request.device ? " with --sram " : "--sram ") + to_string(*request.sram);
    limit_by_size(request, budget);
  }
  return budget;
}

ResolvedPoint resolve(const PointRequest& asked) {
  const PointRequest request = without_foreign_options(asked);
  ResolvedPoint resolved;
  resolved.algorithm = request.algorithm;
  resolved.request = request;
  resolved.budget = budget_of(request);
  resolved.granularity.rows = request.device ? device_tile_multiple : 1;
  resolved.rule = rule_of(request, resolved.budget);
  resolved.largest.problem = problem_of(request);
  resolved.largest.options = request.options;
  if (request.device) resolved.largest.options.split_slots = blocks_per_sm * request.device->sm.count;
  resolved.largest.shapes = request.shapes;
  resolved.largest.tiling = tiling_of(request, resolved.largest.problem);
  resolved.largest.tiling.rule = resolved.rule;
  resolved.parts = parts_of(request, resolved.largest);
  const Formula& formula = resolved.algorithm->formula();
  resolved.largest = accepted(formula, resolved.largest);
  for (Case& part : resolved.parts) part = accepted(formula, part);
  return resolved;
}

}  // namespace tilemeter
