// What a forward kernel must move, by direct loops over tiles and the definitions of the masks.
#pragma once

#include <string>
#include <vector>

#include "model/problem.hpp"
#include "model/work.hpp"

/// Whether `row` sees `key`.
bool sees(const tilemeter::Problem& problem, tilemeter::Count row, tilemeter::Count key);

/// Whether row block `a` visits key tile `j`: the predicate of theory 0.2.
bool tile_is_visited(const tilemeter::Problem& problem, const tilemeter::Tiling& tiling, tilemeter::Count a,
                     tilemeter::Count j);

/// Elements of Q K V O LSE at the edge of the SM, and tiles, over all streams of an unpacked problem.
tilemeter::Work expected_traffic(const tilemeter::Case& point);

/// No mask, both causal masks, and windows with every kind of side.
std::vector<tilemeter::Mask> all_masks();

/// Shape and mask in one line, for failure messages.
std::string describe(const tilemeter::Problem& problem);
