// A computation as a document or a file names it, of a kernel that is described.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/kernel_description.hpp"
#include "tools/json.hpp"
#include "tools/validate/observation.hpp"

namespace tilemeter {

/// Options of the program with _ for -, and their values; empty for a flag.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// Sizes of a tile where a document says them.
struct GivenTile {
  std::optional<Count> block_q{};
  std::optional<Count> block_k{};
  std::optional<Count> block_d{};
  std::optional<Count> block_m{};
  std::optional<Count> block_n{};
};

/// An observation of `values` by `kernel`, in the build that suits them and `tile`; nothing observed yet. Throws
/// InputError: an unknown option, a value that does not parse, a point that the algorithm refuses, no build for it.
Observation described_observation(const std::string& source, const KernelDescription& kernel, const NamedValues& values,
                                  const GivenTile& tile);

/// The members of "problem" and "options" of a point as options; those that are chosen, and false, are left out.
NamedValues named_values(const Json& point);

/// The sizes in "tiling" of a point.
GivenTile given_tile(const Json& point);

}  // namespace tilemeter
