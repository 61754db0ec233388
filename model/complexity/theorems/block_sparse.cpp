#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

Grid causal_bands(std::uint64_t) { return bands({.seq = 65536, .head_dim = 64, .capacity = 50000}, 512, 1 << 16); }

FitExperiment over_share(std::string_view algorithm) {
  return {.contender = {algorithm, TileChoice::fit},
          .quantity = streamed_traffic(algorithm),
          .where = "causal windows",
          .grid = causal_bands,
          .exponents = {{Variable::share, around(1, ceilings)}}};
}

}  // namespace

Theorem block_sparse() {
  return {
      .name = "prop4",
      .title = "FlashAttention, Proposition 4: block-sparse attention",
      .source = "Dao et al. 2022, arXiv:2205.14135, Proposition 4",
      .statement = "with a share s of the tiles visited, Theta(Nd + N^2 d^2 s / M)",
      .validity = "s counts visited tiles; it is larger than the share of visible pairs, and more so for large tiles",
      .edges =
          "causal attention visits (N + Br + Bc - gcd(Br, Bc)) / 2N of the tiles, always more than half; tiny s "
          "leaves the Nd of inputs and outputs",
      .conclusion = "holds: exponent 1 in s, measured on causal windows of 512 to 65536 keys",
      .fits = {over_share("flash1"), over_share("flash2")},
      .ratios = {}};
}

}  // namespace tilemeter::complexity
