// Variable lengths: one pair of lengths a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace tilemeter {

/// Lengths of one sequence of a batch of unequal ones. Either may be 0.
struct Segment {
  Count seq_q = 0;
  Count seq_k = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// The segments of `text`: "q k" a line; blank lines and what follows a '#' are skipped. `name` is the file, for
/// messages. Throws InputError that names file and line, or when no segment is left.
std::vector<Segment> parse_segments(std::string_view name, std::string_view text);

/// The same from a file. Throws InputError when it cannot be read.
std::vector<Segment> load_segments(const std::string& path);

}  // namespace tilemeter
