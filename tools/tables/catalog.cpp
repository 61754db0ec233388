#include "tools/tables/catalog.hpp"

#include "model/suggest.hpp"
#include "tools/options/text.hpp"
#include "tools/tables/all.hpp"

namespace tilemeter::tables {
namespace {

constexpr std::string_view module08 = "course module 08 (FlashAttention and memory-efficient kernels)";
constexpr std::string_view week13_source = "course week 13 (GPUs and FlashAttention)";
constexpr std::string_view worked = "course week 13 and module 08; figures worked out outside this program";
constexpr std::string_view exhaustive = "exhaustive search, outside this program";

constexpr std::string_view by_hand = "worked out by hand";

constexpr TableSpec tables[] = {
    {"score-matrix", "Q, K, V, O against S + P", module08, score_matrix},
    {"softmax-roofline", "why the softmax of a stored score matrix waits for memory", module08, softmax_roofline},
    {"score-growth", "the score matrix over the context length", week13_source, score_growth},
    {"block-sizes", "tile sizes of the paper's rule, and what they need on chip", module08, block_sizes},
    {"byte-sizes", "tile sizes that fit a shared memory in bytes", by_hand, byte_sizes},
    {"paper-rule-fits", "for which M the paper's tiles fit", exhaustive, paper_rule_fits},
    {"numeric-agreement", "tiled against standard attention, in numbers", module08, numeric_agreement},
    {"online-softmax", "one row in chunks, with and without the rescaling", module08, online_softmax},
    {"nan-rows", "rows lost when a tiled pass does not guard exp(-inf - -inf)",
     "course module 08, practice 2; exhaustive search", nan_rows},
    {"matmul-flops", "matrix products of standard and tiled attention", module08, matmul_flops},
    {"traffic-vs-n", "traffic over the length", module08, traffic_vs_n},
    {"traffic-vs-m", "tiled traffic over the memory on chip", module08, traffic_vs_m},
    {"footprint", "memory beyond Q, K and V: N by N against N", module08, footprint},
    {"recompute", "P rebuilt from Q, K and one number a row", module08, recompute},
    {"memory-saving", "memory saved without the score matrix: S/H", week13_source, memory_saving},
    {"fitting", "traffic with tiles that fit, and with the paper's", exhaustive, fitting},
    {"standard-at-m", "standard attention charged for the same M", exhaustive, standard_at_m},
    {"break-even", "the smallest M at which tiling moves no more", "course module 08, practice 1; exhaustive search",
     break_even},
    {"break-even-vs-n", "the break-even M over the length", exhaustive, break_even_vs_n},
    {"recompute-price", "matrix products that recomputation adds",
     "course module 08, practice 3; FlashAttention (2022), Figure 2", recompute_price},
    {"chunked", "chunks of queries and keys: memory saved, traffic not", "brute-force counts, outside this program",
     chunked},
    {"small-cache", "scores through memory against flash2, for M around d^2",
     "Saha & Ye (2024); exact counts, outside this program", small_cache},
    {"linear-attention", "the orders of attention without a softmax", "formulas, outside this program",
     linear_attention},
    {"ridge", "dense peak over memory bandwidth", "data sheets; course module 08 and week 13", ridge},
    {"critical-batch", "tokens from which a pass over weights is bound by arithmetic", worked, critical_batch_table},
    {"decode-intensity", "FLOP a byte of a decoding step", worked, decode_intensity},
    {"kv-cache", "sequences that fit beside the weights", worked, kv_cache_table},
    {"elementwise", "vector addition, chains and softmax under the roofline", worked, elementwise},
    {"figure2", "bytes and FLOPs of forward and backward, by what the kernels do", "FlashAttention (2022), Figure 2",
     figure2},
    {"golden", "verified bills", "brute-force counts, outside this program", golden},
    {"splits", "how many splits of the keys fill a GPU",
     "FlashAttention-2's heuristic, re-expressed outside this program", splits},
    {"gemm-orders", "a matrix product by what stays on chip, and the least over M", by_hand, gemm_orders},
    {"softmax-passes", "accesses and exponentials of the softmax by its passes",
     "Milakov & Gimelshein, Online normalizer calculation for softmax (2018)", softmax_passes},
    {"fusion", "what fusing a chain of elementwise operations saves", by_hand, fusion},
    {"week13", "critical batches, decode intensity, KV cache", week13_source, week13},
};

}  // namespace

std::span<const TableSpec> catalog() { return tables; }

const TableSpec& find_table(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TableSpec& table : tables) {
    if (table.name == name) return table;
    names.push_back(table.name);
  }
  throw InputError("tables " + std::string(name) + ": unknown table" + suggestion(name, names) + ": expected " +
                   join(names));
}

std::vector<MadeTable> make(const std::vector<TableSpec>& specs) {
  std::vector<MadeTable> made;
  for (const TableSpec& spec : specs) made.push_back({spec, spec.make()});
  return made;
}

std::vector<std::string> failures_of(const std::vector<MadeTable>& made) {
  std::vector<std::string> failures;
  for (const MadeTable& one : made) {
    for (const std::string& failure : one.table.failures)
      failures.push_back(std::string(one.spec.name) + ": " + failure);
  }
  return failures;
}

int exit_status(const std::vector<MadeTable>& made) { return failures_of(made).empty() ? 0 : 1; }

}  // namespace tilemeter::tables
