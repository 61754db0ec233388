// Split-KV attention (Flash-Decoding, FlashAttention-2's decode): the keys of a query tile dealt to several blocks, and
// a kernel that combines what they give.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// With n splits of nb = ceil(Tc / n) key tiles, split s of query tile a covers its visited key tiles of s nb ...
/// (s + 1) nb - 1. K and V are read as by flash2, whatever n; Q once for each (query tile, split) with a visited tile.
/// For n > 1 every split, empty ones included, writes its O (zeros) and LSE (-inf) as Oacc, rows n dv, and LSEacc, rows
/// n, at the type of statistics; the combine kernel reads both once, with 2 n exponentials a row, and writes O and LSE.
/// For n = 1 this is flash2's bill. With pages, each visited key tile first reads the int32 entries of the pages that
/// it touches, once for K and V. One query, 12 heads, d = 128, 9 splits: Oacc 55296 B and LSEacc 432 B each way.
Work split_kv_bill(const Case& point);

/// In words.
std::string split_kv_expression(const Case& point);

/// Rows of a block of the combine kernel: 4, 8 or 16, the fewer the longer a row. Source: FlashAttention-2,
/// run_flash_splitkv_fwd.
Count combine_block_rows(const Problem& problem);

/// The split kernel as flash2_tiles, with the entries of a key tile's pages; for n > 1 the combine kernel: LSE of all
/// splits, O, and one partial O.
std::vector<KernelTiles> split_kv_tiles(const Case& point);

/// Refuses arbitrary masks, and pages that neither divide a key tile nor are a multiple of it.
std::string refuse_uneven_pages(std::string_view name, const Case& point);

}  // namespace tilemeter
