// Which keys a query row sees, in the integers that the kernels compute with.
#pragma once

#include "model/host_device.hpp"
#include "model/problem.hpp"

namespace tilemeter::kernels {

/// Row r sees key c iff r + shift - left <= c <= r + shift + right and 0 <= c < keys.
/// An unlimited side is a number of keys that reaches past both ends.
struct Visibility {
  Count keys = 0;
  Count shift = 0;  ///< key position of row 0 (the theory's Delta)
  Count left = 0;
  Count right = 0;
};

/// The visibility of `problem.mask` for key tiles of `block_k` rows. Top-left causal masks shorten the keys to whole
/// tiles that some row reaches. Throws InputError for an arbitrary mask.
Visibility visibility_of(const Problem& problem, Count block_k);

/// Whether later rows see more keys, so that the longest tiles come first: causal masks of either alignment.
bool grows_with_rows(const Mask& mask);

/// Half-open range of indices.
struct Range {
  Count first = 0;
  Count last = 0;
  TILEMETER_HOST_DEVICE constexpr bool empty() const { return last <= first; }
};

TILEMETER_HOST_DEVICE constexpr Count clamp(Count value, Count low, Count high) {
  return value < low ? low : (value > high ? high : value);
}

/// The key tiles that the row block [row_begin, row_begin + block_q) visits (theory 0.2): those with
/// j * block_k < row_begin + block_q + shift + right and (j + 1) * block_k > row_begin + shift - left.
TILEMETER_HOST_DEVICE constexpr Range visited_tiles(const Visibility& visible, Count row_begin, Count block_q,
                                                    Count block_k) {
  const Count begin = row_begin + visible.shift - visible.left;
  const Count end = clamp(row_begin + block_q + visible.shift + visible.right, 0, visible.keys);
  return {begin > 0 ? begin / block_k : 0, (end + block_k - 1) / block_k};
}

/// The row blocks, of `row_blocks` in all, that visit key tile `key_tile`: the same predicate the other way round.
TILEMETER_HOST_DEVICE constexpr Range visiting_row_blocks(const Visibility& visible, Count key_tile, Count row_blocks,
                                                          Count block_q, Count block_k) {
  const Count key_begin = key_tile * block_k;
  if (key_begin >= visible.keys) return {};
  const Count before = key_begin - block_q - visible.shift - visible.right;  // the last row that begins too early
  const Count after = key_begin + block_k - visible.shift + visible.left;    // the first row that begins too late
  const Count first = before < 0 ? 0 : before / block_q + 1;
  const Count last = after <= 0 ? 0 : (after + block_q - 1) / block_q;
  return {first, last < row_blocks ? last : row_blocks};
}

/// Whether every one of `rows` rows from `row_begin` on sees all keys [key_begin, key_begin + keys).
TILEMETER_HOST_DEVICE constexpr bool sees_all(const Visibility& visible, Count row_begin, Count rows, Count key_begin,
                                              Count keys) {
  const Count first_position = row_begin + visible.shift, last_position = first_position + rows - 1;
  return key_begin + keys <= visible.keys && key_begin + keys <= first_position + visible.right + 1 &&
         key_begin >= last_position - visible.left;
}

/// The key tiles of which the rows [row_begin, row_end) see every key: those need no mask.
TILEMETER_HOST_DEVICE constexpr Range unmasked_tiles(const Visibility& visible, Count row_begin, Count row_end,
                                                     Count block_k) {
  const Count begin = row_end - 1 + visible.shift - visible.left;
  const Count end = clamp(row_begin + visible.shift + visible.right + 1, 0, visible.keys);
  return {begin > 0 ? (begin + block_k - 1) / block_k : 0, end / block_k};
}

/// The keys that `row` sees, counted from `key_begin` and clipped to [0, keys): what a mask leaves of a tile's row.
TILEMETER_HOST_DEVICE constexpr Range visible_keys(const Visibility& visible, Count row, Count key_begin, Count keys) {
  const Count position = row + visible.shift - key_begin;
  return {clamp(position - visible.left, 0, keys), clamp(position + visible.right + 1, 0, keys)};
}

}  // namespace tilemeter::kernels
