// The reference tables, one function each; catalog.cpp lists them.
#pragma once

#include "tools/tables/table.hpp"

namespace tilemeter::tables {

Table score_matrix();
Table softmax_roofline();
Table score_growth();
Table block_sizes();
Table byte_sizes();
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
Table figure2();
Table chunked();
Table small_cache();
Table linear_attention();
Table golden();
Table splits();
Table gemm_orders();
Table softmax_passes();
Table fusion();
Table week13();
Table critical_batch_table();
Table decode_intensity();
Table elementwise();
Table kv_cache_table();
Table ridge();

}  // namespace tilemeter::tables
