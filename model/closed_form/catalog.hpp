// The bills of all algorithms as formulas, by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/closed_form/formula.hpp"

namespace tilemeter {

std::span<const Formula> formulas();  ///< in the order in which they are listed

/// Throws InputError that lists the names.
const Formula& formula_of(std::string_view algorithm);

/// The bill of one point: traffic per tensor, FLOPs, exponentials and visited tiles, over batch x heads.
/// O(log N) in the sequence length. Throws InputError for an unknown algorithm or a mask that it does not take, and
/// FigureOverflow that names the figure past 2^63 - 1.
Work closed_form(std::string_view algorithm, const Case& point);

/// The unmasked textbook formula ("2Nd + Tc(3Nd + 4N)") where the point is one, else the sum in words.
std::string expression_of(std::string_view algorithm, const Case& point);

/// The most that is in use at once beside inputs and output; absent for algorithms that do not state it. Throws
/// FigureOverflow.
std::optional<Workspace> workspace_of(std::string_view algorithm, const Case& point);

/// Every input element that some visited tile needs, once, and every output element once; statistics and intermediates
/// excluded. Attention reads Q K V and writes O; its gradients read O and dO too and write dQ dK dV. Shared K/V heads
/// count once. The other computations read every input and write every output once.
Work compulsory(std::string_view algorithm, const Case& point);

/// Unmasked (query, key) pairs over batch x heads: the visited tiles of one pair each. O(log N); an arbitrary mask is
/// counted. Throws FigureOverflow.
Count visible_pairs(const Problem& problem);

/// Query rows without a visible key, over batch x heads.
Count empty_rows(const Problem& problem);

}  // namespace tilemeter
