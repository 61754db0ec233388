// The other ranks of a sweep: make points for rank 0.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "tools/sweep/ranks/ranks.hpp"

namespace tilemeter {

/// Makes the points that rank 0 gives out, with `threads` threads, until it gives none or `stop` says so. `failures` is
/// told to rank 0 at the end, and so is what `make` throws.
void help(Ranks& ranks, std::size_t threads, const std::function<std::string(std::size_t)>& make,
          const std::function<bool()>& stop, const std::atomic<std::size_t>& failures);

}  // namespace tilemeter
