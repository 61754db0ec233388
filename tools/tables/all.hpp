// The reference tables, one function each; catalog.cpp lists them.
#pragma once

#include "tools/tables/table.hpp"

namespace tilemeter::tables {

Table score_matrix();
Table softmax_roofline();
Table score_growth();
Table block_sizes();
Table paper_rule_fits();
Table numeric_agreement();
Table online_softmax();
Table nan_rows();
Table matmul_flops();
Table traffic_vs_n();
Table traffic_vs_m();
Table footprint();
Table recompute();
Table memory_saving();
Table fitting();
Table standard_at_m();
Table break_even();
Table break_even_vs_n();
Table recompute_price();
Table golden();
Table gemm_orders();
Table softmax_passes();
Table elementwise();
Table week13();

}  // namespace tilemeter::tables
