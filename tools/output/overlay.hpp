// A device overlay as a file: what --device reads.
#pragma once

#include <string>
#include <vector>

#include "model/device.hpp"

namespace tilemeter {

/// The text of an overlay that changes the shipped device `base`, with `title` as a comment in its first line. Facts of
/// one table stand together, tables in the order of their first fact.
std::string overlay_document(const std::string& title, const std::string& base, const std::vector<DeviceFact>& facts);

/// Half the width of a 95 % interval as a share of its value: "+- 0.3 %".
std::string interval_text(double share);

}  // namespace tilemeter
