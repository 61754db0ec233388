// The points that the reference tables are about, billed both ways.
#pragma once

#include <string>
#include <string_view>

#include "model/on_chip.hpp"
#include "model/problem.hpp"
#include "model/work.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter::tables {

/// One head of `seq` queries and keys of dimension `head_dim`: fp16 operands, fp32 statistics.
Case one_head(Count seq, Count head_dim);
/// The same with every element of two bytes, statistics included, as module 08 bills them.
Case two_byte_head(Count seq, Count head_dim);
/// The same with every element of `type`.
Case uniform_head(Count seq, Count head_dim, DType type);

/// `point` with other tile sizes.
Case tiled(Case point, Count block_q, Count block_k);

/// The paper's on-chip memory M as a number of elements.
Budget elements_on_chip(Count capacity);

/// `point` with the tiles that `rule` chooses for M elements. Throws InputError when none fits.
Case ruled(std::string_view algorithm, const Case& point, BlockRule rule, Count capacity);

/// The bill of a point, counted by the simulator and by closed form; `needed` is the peak on chip that it counted.
struct Billed {
  Work counted;
  Work closed;
  Elements needed;

  Count elements() const { return counted.total().total().value(); }
  Bytes bytes() const { return counted.total().total_bytes(); }
};

/// Without a limit on chip, so that a tiling that does not fit its budget is billed all the same.
Billed bill(std::string_view algorithm, const Case& point);

/// The total of the closed form, in elements.
Count closed_elements(std::string_view algorithm, const Case& point);

/// Sizes of the tensors in device memory that the run writes: what it needs beyond its inputs. Attention of one
/// stream: S and P are Nq x Nk, O is Nq x dv, l, m and LSE are Nq.
Bytes written_tensors(const Work& work, const Case& point);

/// "(64, 196)".
std::string tile_text(const Tiling& tiling);

double mebibytes(Bytes bytes);
inline Cell mebibytes_cell(Bytes bytes, int decimals) { return Decimal{mebibytes(bytes), decimals}; }
inline Cell elements_cell(Elements elements) { return elements.value(); }

}  // namespace tilemeter::tables
