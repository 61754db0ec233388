// Week 13, step 1: thresholds of the roofline, and what a decoding GPU holds.
#include <cmath>

#include "model/closed_form/catalog.hpp"
#include "model/critical_batch.hpp"
#include "model/device.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

/// Llama-3-8B (Llama Team, 2024): layers, heads, and 8.03 billion weights of two bytes.
constexpr Count layers = 32;
constexpr Count heads = 32;
constexpr Count head_dim = 128;
constexpr Count context = 8192;
constexpr double weight_bytes = 16.06e9;

void add_row(Table& table, const std::string& quantity, const char* unit, Decimal value, const Printed& reference) {
  Judge judge(table, quantity);
  judge.rounds(quantity, value.value, reference);
  table.rows.push_back({quantity, value, reference.cell(), unit, judge.verdict()});
}

/// B* = P b / (2 W): tokens from which a pass over weights of `bytes` bytes is bound by arithmetic of `type`.
double critical_batch(const Device& device, DType type, double bytes) {
  return tilemeter::critical_batch(device.require_rate(ComputeUnit::tensor, type), device.hbm.bandwidth, bytes);
}

/// One decoding query of all heads over a full cache, in one layer.
Case decode(Count kv_heads) {
  Case point = tiled(one_head(context, head_dim), 64, 128);
  point.problem.seq_q = 1;
  point.problem.heads = heads;
  point.problem.kv_heads = kv_heads;
  point.problem.packing = Packing::packed;
  return point;
}

double decode_intensity(Count kv_heads) {
  const Case point = decode(kv_heads);
  return static_cast<double>(bill("flash2", point).counted.matmul_flops.value()) /
         static_cast<double>(compulsory("flash2", point).total().total_bytes().value());
}

void add_thresholds(Table& table, const Device& h100, const Device& a100) {
  add_row(table, "critical batch, H100, bf16", "tokens", {critical_batch(h100, DType::bf16, 2), 2}, Printed("295"));
  add_row(table, "critical batch, A100, bf16", "tokens", {critical_batch(a100, DType::bf16, 2), 2}, Printed("153"));
  add_row(table, "critical batch, H100, 8-bit weights, bf16 arithmetic", "tokens",
          {critical_batch(h100, DType::bf16, 1), 2}, Printed("148"));
  add_row(table, "critical batch, H100, 8-bit weights and arithmetic", "tokens",
          {critical_batch(h100, DType::u8, 1), 2}, Printed("295"));
  const double vector_add = 1.0 / static_cast<double>(3 * size_of(DType::bf16));  // two operands read, one sum written
  const double balance = h100.require_rate(ComputeUnit::tensor, DType::bf16).value / h100.hbm.bandwidth.value;
  add_row(table, "vector addition, bf16", "FLOP/B", {vector_add, 4}, Printed("0.1667"));
  add_row(table, "... of the H100's peak (below 0.1 %)", "%", {100 * vector_add / balance, 3}, Printed("0.056"));
}

void add_cache(Table& table, const Device& h100) {
  constexpr Count kv_heads = 8;
  const Work read = bill("flash2", decode(kv_heads)).counted;
  const Bytes cache = (read[TensorName::K].read_bytes + read[TensorName::V].read_bytes) * layers;
  const auto sequence = static_cast<double>(cache.value());
  add_row(table, "KV cache of Llama-3-8B", "B/token", {sequence / context, 0}, Printed("131072"));
  add_row(table, "KV cache of 8,192 tokens", "GB", {sequence / 1e9, 4}, Printed("1.0737"));
  const double room = static_cast<double>(h100.hbm.size.value()) - weight_bytes;
  add_row(table, "sequences of 8,192 tokens beside the weights, 80 GB", "", {std::floor(room / sequence), 0},
          Printed("59"));
  add_row(table, "decode attention, Llama-3-8B", "FLOP/B", {decode_intensity(kv_heads), 3}, Printed("4"));
  add_row(table, "decode attention, as many K/V heads as heads", "FLOP/B", {decode_intensity(heads), 3}, Printed("1"));
}

}  // namespace

Table week13() {
  Table table;
  table.columns = {{"quantity", ""}, {"value", ""}, {"reference", ""}, {"unit", ""}, {"verdict", ""}};
  const Device h100 = load_device("h100-sxm");
  add_thresholds(table, h100, load_device("a100-80gb"));
  add_cache(table, h100);
  table.notes = {"rates and memory of h100-sxm and a100-80gb; 8-bit arithmetic at the int8 rate",
                 "cache: K and V that a packed flash2 decoding step reads, x 32 layers; intensity: counted FLOP over "
                 "compulsory bytes. No memory is set aside for activations"};
  return table;
}

}  // namespace tilemeter::tables
