// Module 08, practice 3: the price of recomputing the scores in the backward pass, in matrix products.
#include "tools/tables/all.hpp"
#include "tools/tables/judge.hpp"
#include "tools/tables/points.hpp"

namespace tilemeter::tables {
namespace {

/// Measured GFLOP of FlashAttention's Figure 2.
constexpr double paper_standard = 66.6;
constexpr double paper_flash = 75.2;

/// Products of N x N x d, by the FLOPs that the simulator counts.
Count products(std::string_view algorithm) {
  constexpr Count seq = 1024;
  constexpr Count head_dim = 64;
  const Billed billed = bill(algorithm, tiled(one_head(seq, head_dim), 64, 196));
  return billed.counted.matmul_flops.value() / (2 * seq * seq * head_dim);
}

void add_products(Table& table, const char* part, Count standard, Count flash, Count standard_ref, Count flash_ref) {
  Judge judge(table, part);
  judge.equal("standard", standard, standard_ref).equal("flash", flash, flash_ref);
  const double extra = 100 * (static_cast<double>(flash) / static_cast<double>(standard) - 1);
  table.rows.push_back({part, standard, flash, Decimal{extra, 2}, Cell(), judge.verdict()});
}

}  // namespace

Table recompute_price() {
  Table table;
  table.columns = {{"part", ""}, {"standard", ""}, {"flash", ""}, {"extra", "%"}, {"extra ref.", "%"}, {"verdict", ""}};
  const Count standard = products("standard");
  const Count flash = products("flash1");
  const Count standard_backward = products("standard_backward");
  const Count flash_backward = products("flash1_backward");
  add_products(table, "forward, N x N x d products", standard, flash, 2, 2);
  add_products(table, "backward, N x N x d products", standard_backward, flash_backward, 4, 5);
  const auto all_standard = static_cast<double>(standard + standard_backward);
  const auto all_flash = static_cast<double>(flash + flash_backward);
  const double extra = 100 * (all_flash / all_standard - 1);
  const double paper_ratio = paper_flash / paper_standard;
  Judge total(table, "both");
  total.rounds("extra", extra, Printed("16.67"));
  table.rows.push_back({"both, N x N x d products", standard + standard_backward, flash + flash_backward,
                        Decimal{extra, 2}, Printed("16.67").cell(), total.verdict()});
  Judge paper(table, "Figure 2");
  paper.off("extra", extra, Printed("12.9"), "not matrix products alone");
  table.rows.push_back({"Figure 2 of the paper, GFLOP", Decimal{paper_standard, 1}, Decimal{paper_flash, 1},
                        Decimal{100 * (paper_ratio - 1), 2}, Printed("12.9").cell(), paper.verdict()});
  const double common = (all_flash - paper_ratio * all_standard) / (paper_ratio - 1);
  Judge work(table, "common work");
  work.rounds("common work", common, Printed("1.74"));
  table.rows.push_back({"work in both that would reconcile them, products", Decimal{common, 2}, Decimal{common, 2},
                        Decimal{100 * ((all_flash + common) / (all_standard + common) - 1), 2}, Cell(),
                        work.verdict()});
  table.notes = {"products counted by the simulator; the backward pass of flash computes S once more"};
  return table;
}

}  // namespace tilemeter::tables
