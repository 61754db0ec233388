// A device overlay as a file: what --device reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// The text of an overlay that changes the shipped device `base`, with `title` as a comment in its first line. Facts of
/// one table stand together, tables in the order of their first fact.
std::string overlay_document(const std::string& title, const std::string& base, const std::vector<DeviceFact>& facts);

/// Where figures go: as an overlay, or in one of the program's formats.
struct OverlayTarget {
  bool overlay = false;
  Target target;
};

/// What --format and -o say: an overlay for `toml`, or for a file of that ending without a format. Throws InputError
/// for HTML, of which `who` has no page.
OverlayTarget overlay_target(const Arguments& arguments, std::string_view who);

/// Half the width of a 95 % interval as a share of its value: "+- 0.3 %".
std::string interval_text(double share);

}  // namespace tilemeter
