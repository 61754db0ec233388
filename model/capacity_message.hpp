// The words that say what a set of tiles needs on chip and what a budget allows.
#pragma once

#include <string>
#include <vector>

#include "model/on_chip.hpp"

namespace tilemeter {

/// "SUBJECT needs 128.0 KiB of shared memory: Q 64 + K 32 + V 32; OWNER allows 99.0 KiB a block", for every limit that
/// `tiles` pass; a ring of two stages reads "K 2x32". Exact bytes instead of KiB when less than 0.1 KiB apart or when
/// the limit is below 1 KiB, elements for a budget in elements. "SUBJECT fits OWNER" when no limit is passed.
std::string capacity_message(const std::string& subject, const std::vector<OnChipTile>& tiles, const Budget& budget);

}  // namespace tilemeter
