// The members of Block for each payload are compiled once, in block.cpp; algorithms only refer to them.
#pragma once

#include "sim/block.hpp"

#define TILEMETER_BLOCK_SPACE(Extern, P, S)                                               \
  Extern template void Block<P>::load<S>(Phase, Tile<P, S>&, const View<P>&);             \
  Extern template void Block<P>::store<S>(Phase, const View<P>&, const Tile<P, S>&);      \
  Extern template void Block<P>::atomic_add<S>(Phase, const View<P>&, const Tile<P, S>&); \
  Extern template void Block<P>::fill<S>(Tile<P, S>&, Shape, double);

#define TILEMETER_BLOCK_SPACES(Extern, P, A, B)                                                              \
  Extern template void Block<P>::scores<A, B>(RegisterTile<P>&, const Tile<P, A>&, const Tile<P, B>&);       \
  Extern template void Block<P>::add_scores<A, B>(RegisterTile<P>&, const Tile<P, A>&, const Tile<P, B>&);   \
  Extern template void Block<P>::row_products<A, B>(RegisterTile<P>&, const Tile<P, A>&, const Tile<P, B>&); \
  Extern template void Block<P>::accumulate<A, B>(RegisterTile<P>&, Tile<P, A>&, const Tile<P, B>&, DType);  \
  Extern template void Block<P>::accumulate_transposed<A, B>(RegisterTile<P>&, Tile<P, A>&, const Tile<P, B>&, DType);

#define TILEMETER_BLOCK(Extern, P)                                   \
  Extern template class Block<P>;                                    \
  TILEMETER_BLOCK_SPACE(Extern, P, Space::shared)                    \
  TILEMETER_BLOCK_SPACE(Extern, P, Space::registers)                 \
  TILEMETER_BLOCK_SPACES(Extern, P, Space::shared, Space::shared)    \
  TILEMETER_BLOCK_SPACES(Extern, P, Space::shared, Space::registers) \
  TILEMETER_BLOCK_SPACES(Extern, P, Space::registers, Space::shared) \
  TILEMETER_BLOCK_SPACES(Extern, P, Space::registers, Space::registers)

namespace tilemeter {
TILEMETER_BLOCK(extern, Ghost)
TILEMETER_BLOCK(extern, Real<float>)
TILEMETER_BLOCK(extern, Real<double>)
}  // namespace tilemeter
