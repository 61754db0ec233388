// The softmax of the rows of a matrix, Y = softmax(X), in one to three passes over each row.
#pragma once

#include <string>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

/// Per row of V elements:
///
///   variant   read  written  exponentials
///   safe      3V    V        2V       maximum, sum, quotients
///   online    2V    V        3V - 1   maximum and sum in one pass, element by element; the first needs no factor
///   naive     2V    V        2V       no maximum: overflows once an element passes log of the largest number
///   resident  V     V        V        the row stays on chip
///
/// Scores are exponentials of elements, rescale the factors e^(m_old - m_new): of `online` V - 1 a row, whatever
/// block_k. Milakov & Gimelshein's 1.33x is 4V / 3V. Source: Milakov & Gimelshein, Online normalizer calculation for
/// softmax, 2018.
Work softmax_bill(const Case& point);

Work softmax_compulsory(const Case& point);

std::string softmax_expression(const Case& point);

/// A piece of a row of X, at most block_k elements (all of it when resident), l, and m except in `naive`.
std::vector<KernelTiles> softmax_tiles(const Case& point);

}  // namespace tilemeter
