// The intensity of one decoding step: query heads a K/V head, whatever the batch.
#include "model/decode.hpp"
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"

namespace tilemeter::tables {
namespace {

struct Row {
  const char* what;
  Count batch;
  Count heads;
  Count kv_heads;
  Count keys;
  const char* intensity;  ///< empty where none is printed
  Count flops;            ///< 0 where none is printed
  Count bytes;            ///< of Q, K, V and O where flops are printed, else of K and V; 0 where none is printed
};

constexpr Row printed[] = {
    {"Llama-3-8B, one sequence", 1, 32, 8, 8192, "3.998", 0, 33554432},
    {"Llama-3-8B, 64 sequences", 64, 32, 8, 8192, "3.998", 0, 0},
    {"a K/V head for each head", 1, 32, 32, 8192, "1.000", 0, 0},
    {"4 sequences of 131,072", 4, 32, 32, 131072, "1.000", 8589934592, 8590000128},
    {"12 heads a K/V head", 4, 96, 8, 65536, "", 0, 1073741824},
};

Problem problem_of(const Row& row) {
  return {.batch = row.batch,
          .heads = row.heads,
          .kv_heads = row.kv_heads,
          .seq_q = 1,
          .seq_k = row.keys,
          .head_dim = 128,
          .head_dim_v = 128,
          .dtype = DType::bf16};
}

void add_row(Table& table, const Row& row) {
  const DecodeCost cost = decode_cost(problem_of(row));
  const double intensity = static_cast<double>(cost.flops.value()) / static_cast<double>(cost.least().value());
  Judge judge(table, row.what);
  if (*row.intensity != '\0') judge.rounds("intensity", intensity, Printed(row.intensity));
  if (row.flops > 0)
    judge.equal("FLOPs", cost.flops.value(), row.flops).equal("bytes", cost.least().value(), row.bytes);
  if (row.flops == 0 && row.bytes > 0) judge.equal("K and V", cost.cache.value(), row.bytes);
  judge.equal("packed K and V", cost.cache_packed.value(), cost.cache.value())
      .equal("unpacked K and V", cost.cache_unpacked.value(), cost.cache.value() * (row.heads / row.kv_heads));
  table.rows.push_back({row.what, row.batch, row.heads / row.kv_heads, row.keys, cost.flops.value(), cost.cache.value(),
                        cost.cache_unpacked.value(), cost.least().value(), Decimal{intensity, 6},
                        *row.intensity != '\0' ? Printed(row.intensity).cell() : Cell(), judge.verdict()});
}

}  // namespace

Table decode_intensity() {
  Table table;
  table.columns = {{"step", ""},
                   {"batch", ""},
                   {"heads", "a K/V head"},
                   {"keys", "rows"},
                   {"FLOPs", ""},
                   {"K and V", "bytes, once"},
                   {"K and V unpacked", "bytes, SM edge"},
                   {"Q, K, V, O", "bytes, once"},
                   {"intensity", "FLOP/B"},
                   {"intensity ref.", "FLOP/B"},
                   {"verdict", ""}};
  for (const Row& row : printed) add_row(table, row);
  table.notes = {
      "one query a head, d = 128, bf16: g N / (N + g) FLOP/B with g query heads a K/V head, at any batch",
      "unpacked, each query head streams K and V of its own: g times the bytes at the SM edge; packed, once"};
  return table;
}

}  // namespace tilemeter::tables
