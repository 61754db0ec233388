// One decoding step of attention: a few new queries against a cache of keys and values.
#pragma once

#include "model/problem.hpp"
#include "model/units.hpp"

namespace tilemeter {

/// What a decoding step does and moves, over batch x heads.
struct DecodeCost {
  Flops flops;           ///< 2 (d + d_v) for each visible (query, key) pair
  Bytes cache;           ///< K and V, once for each K/V head
  Bytes rows;            ///< Q read and O written
  Bytes cache_packed;    ///< K and V across the edge of the SM when the g query heads of a K/V head share a row block
  Bytes cache_unpacked;  ///< ... when each query head streams its own: g times `cache` for one query
  Bytes appended;        ///< K and V rows that the step adds to the cache, not part of `least`
  Bytes least() const { return cache + rows; }  ///< compulsory bytes: no step moves less through device memory
};

/// The cost of `problem`, tiled with row blocks of `block_q` rows. FLOP over least bytes tends to g x 2 / b, from
/// below: 4 heads a K/V head, 8192 keys, two-byte elements: 4 x 8192 / (8192 + 4) = 3.998. Throws InputError as
/// `validate`, and FigureOverflow.
DecodeCost decode_cost(const Problem& problem, Count block_q = 128);

}  // namespace tilemeter
