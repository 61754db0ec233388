// The columns that say how an operation stands under a roofline.
#pragma once

#include <vector>

#include "tools/roofline/options.hpp"
#include "tools/roofline/sheet.hpp"

namespace tilemeter::roofline {

/// FLOPs, bytes, intensity, ridge, attainable share, both time bounds, what binds; with --time the rates reached.
std::vector<SheetColumn> bound_columns(const Arguments& arguments);
std::vector<SheetCell> bound_cells(const Rooflines& rooflines, const Cost& cost, const Arguments& arguments);

/// What a measured time says: which rates it means, and that some bytes came from the L2 where they pass device
/// memory's peak. Nothing without --time.
std::vector<std::string> measured_notes(const std::string& what, const Rooflines& rooflines, const Cost& cost,
                                        const Arguments& arguments);
/// A measured time below FLOPs / peak: the measurement or the count is wrong. Nothing without --time.
std::vector<std::string> measured_failures(const std::string& what, const Rooflines& rooflines, const Cost& cost,
                                           const Arguments& arguments);

/// `front` with `more` behind it.
template <class Item>
std::vector<Item> chained(std::vector<Item> front, const std::vector<Item>& more) {
  front.insert(front.end(), more.begin(), more.end());
  return front;
}

}  // namespace tilemeter::roofline
