// On-chip memory without limits.
#pragma once

#include "model/on_chip.hpp"

namespace tilemeter {

inline const Budget unlimited;

}  // namespace tilemeter
