// The files of the report page that are compiled into the program.
#pragma once

#include <string_view>
#include <vector>

namespace tilemeter {

/// One file: its name without folders, and its bytes.
struct Asset {
  std::string_view name;
  std::string_view text;
};

/// All files: page.html, style.css, the scripts in the order in which they run, and the chart library last.
const std::vector<Asset>& assets();

}  // namespace tilemeter
