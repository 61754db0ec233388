// Steps that all ranks take together.
#pragma once

#include <functional>
#include <string>

#include "tools/sweep/ranks/ranks.hpp"

namespace tilemeter {

/// Does `work` on every rank, which must make the same text everywhere. True when it did. Otherwise rank 0 throws: its
/// own error, or InputError that names the first rank that failed or differs; the others return false and say nothing.
bool agree(Ranks& ranks, const std::function<std::string()>& work);

}  // namespace tilemeter
