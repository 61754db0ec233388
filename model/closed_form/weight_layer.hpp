// A layer Y (tokens x d_out) = X (tokens x d_in) W (d_in x d_out) with weights in bf16, int8 or int4.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// Every tile of Y stays on chip while X and W stream past it, so W and its scales are read once for each of the
/// Tm = ceil(tokens / bm) tiles of tokens, exactly once when the tokens fit one tile; X once for each of Tn tiles of
/// features. W is stored as d_out rows of d_in weights, each row in whole bytes (two int4 share one); groups of G
/// weights along d_in share a scale of two bytes. 4096 x 4096 int4 weights with G = 128 are bits/8 + 2/G = 0.515625
/// bytes each, 8,650,752 in all. A single scale for the whole tensor (G = 0) is an argument of the kernel.
Work weight_layer_bill(const Case& point);

/// Largest integer of a type of weights: int8 takes -127 to 127, int4 -7 to 7.
double largest_weight_of(WeightType type);

/// The scale of all integer weights where there are no groups; 1 of bf16.
double whole_scale(WeightType type);

/// X, W and scales read once, Y written once.
Work weight_layer_compulsory(const Case& point);

std::string weight_layer_expression(const Case& point);

/// X, W, the scales of a tile where there are groups, and Y.
std::vector<KernelTiles> weight_layer_tiles(const Case& point);

/// Refuses groups of weights that have no scales (bf16), and odd groups of int4, of which two share a byte.
std::string refuse_weight_groups(std::string_view name, const Case& point);

/// How a block walks d_in: spans of whole groups, or of one, each in steps of `step` weights. A step never leaves its
/// group, unless it holds whole ones, and never splits a byte.
struct WeightWalk {
  Count span;    ///< weights whose scales are loaded together
  Count step;    ///< weights of a tile of W
  Count groups;  ///< scales of a span; 0 without groups
};
WeightWalk weight_walk_of(const Case& point);

}  // namespace tilemeter
