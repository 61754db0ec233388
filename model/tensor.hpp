// The names of the tensors that algorithms keep in device memory.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tilemeter {

/// Tensors as the papers call them.
///  attention:  Z is the dropout keep-mask, Pd the dropped-out P.
///  gradients:  D = rowsum(dO o O), dQacc the accumulator of dQ, dKx and dVx gradients expanded to the query heads.
///  partial results: Oacc, LSEacc of a split, `part` the summaries of a chunk; block_table of paged K and V.
///  neighbours: A B C of a GEMM, X W Y of a layer with the scales of W, X Y and the side inputs of a chain, KV the
///  state of linear attention.
enum class TensorName {
  Q,
  K,
  V,
  O,
  S,
  P,
  E,
  mask,
  Z,
  Pd,
  l,
  m,
  LSE,
  dO,
  dQ,
  dK,
  dV,
  dP,
  dS,
  D,
  dQacc,
  dKx,
  dVx,
  Oacc,
  LSEacc,
  part,
  block_table,
  KV,
  A,
  B,
  C,
  X,
  W,
  scales,
  side,
  Y
};

inline constexpr std::array<std::string_view, 36> tensor_names = {
    "Q",      "K",    "V",           "O",  "S",  "P",  "E",  "mask", "Z",     "Pd",     "l",    "m",
    "LSE",    "dO",   "dQ",          "dK", "dV", "dP", "dS", "D",    "dQacc", "dKx",    "dVx",  "Oacc",
    "LSEacc", "part", "block_table", "KV", "A",  "B",  "C",  "X",    "W",     "scales", "side", "Y"};
inline constexpr std::size_t tensor_count = tensor_names.size();
static_assert(static_cast<std::size_t>(TensorName::Y) + 1 == tensor_count);

constexpr std::size_t index_of(TensorName tensor) { return static_cast<std::size_t>(tensor); }
constexpr std::string_view name_of(TensorName tensor) { return tensor_names[index_of(tensor)]; }

}  // namespace tilemeter
