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

/// The keys that `row` sees, counted from `key_begin` and clipped to [0, keys): what a mask leaves of a tile's row.
TILEMETER_HOST_DEVICE constexpr Range visible_keys(const Visibility& visible, Count row, Count key_begin, Count keys) {
  const Count position = row + visible.shift - key_begin;
  return {clamp(position - visible.left, 0, keys), clamp(position + visible.right + 1, 0, keys)};
}

}  // namespace tilemeter::kernels
