// Lists of things that the program knows (algorithms, devices), in every format but HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/command.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// Rows of words. In JSON each row is an object under `key`.
struct Listing {
  std::string_view command;
  std::string_view key;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Throws InputError for HTML.
std::string render_listing(const Listing& listing, Format format, const Arguments& arguments = {});

/// Writes the listing where and as `arguments` say. Throws InputError for HTML.
void write_listing(const Listing& listing, const Arguments& arguments);

}  // namespace tilemeter
