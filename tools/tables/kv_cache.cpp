// Sequences of a decoding Llama-3-8B that fit on an 80 GB GPU, by how the memory and the length are read.
#include "model/kv_cache.hpp"

#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"

namespace tilemeter::tables {
namespace {

constexpr Bytes decimal_80(80'000'000'000);
constexpr Bytes binary_80(Count{80} << 30);

CacheRequest request(Count tokens, Bytes memory, std::string_view cache) {
  return {.model = find_model("--kv-cache", "llama-3-8b"),
          .weights = number_format("--weight-dtype", "bf16"),
          .cache = number_format("--cache-dtype", cache),
          .tokens = tokens,
          .memory = memory,
          .reserve = Bytes(0)};
}

/// `reference` 0: nothing is printed for the row.
void add_row(Table& table, const char* what, const CacheRequest& asked, Count reference, const char* exact) {
  const CacheCapacity capacity = cache_capacity(asked);
  Judge judge(table, what);
  if (reference > 0) judge.equal("sequences", capacity.sequences, reference);
  if (*exact != '\0') judge.rounds("exact", capacity.sequences_exact, Printed(exact));
  if (reference == 0) judge.remark("no reference");
  table.rows.push_back({what, asked.tokens, capacity.per_token.value(),
                        Decimal{static_cast<double>(capacity.per_sequence.value()) / 1e9, 4},
                        Decimal{static_cast<double>(capacity.room.value()) / 1e9, 2},
                        Decimal{capacity.sequences_exact, 2}, capacity.sequences,
                        reference > 0 ? Cell(reference) : Cell(), judge.verdict()});
}

}  // namespace

Table kv_cache_table() {
  Table table;
  table.columns = {{"memory and cache", ""}, {"sequence", "tokens"}, {"a token", "bytes"},
                   {"a sequence", "GB"},     {"room", "GB"},         {"sequences", "exact"},
                   {"sequences", "whole"},   {"sequences ref.", ""}, {"verdict", ""}};
  add_row(table, "80 GB, bf16 cache", request(8192, decimal_80, "bf16"), 59, "59.55");
  add_row(table, "80 GiB, bf16 cache", request(8192, binary_80, "bf16"), 65, "");
  add_row(table, "80 GB, bf16 cache", request(8000, decimal_80, "bf16"), 60, "");
  add_row(table, "80 GB, fp8 cache", request(8192, decimal_80, "fp8"), 0, "");
  table.notes = {"Llama-3-8B: 32 layers, 8 K/V heads of 128, 8,030,261,248 parameters of two bytes (16.06 GB)",
                 "nothing is kept free for activations; the 59 of the source means decimal GB and 8,192 tokens"};
  return table;
}

}  // namespace tilemeter::tables
