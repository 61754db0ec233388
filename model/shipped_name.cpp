#include "model/shipped_name.hpp"

#include <string>

#include "model/error.hpp"
#include "model/quantity.hpp"
#include "model/suggest.hpp"

namespace tilemeter {

bool is_toml_path(std::string_view text) { return text.find('/') != std::string_view::npos || text.ends_with(".toml"); }

std::size_t shipped_index(std::string_view option, std::string_view kind, std::string_view name,
                          const std::vector<std::string_view>& names) {
  const std::string wanted = lower_case(name);
  const std::string place = std::string(option) + " " + in_quotes(name);
  std::vector<std::string_view> fitting;
  std::size_t found = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == wanted) return i;
    if (wanted.empty() || !names[i].starts_with(wanted)) continue;
    fitting.push_back(names[i]);
    found = i;
  }
  if (fitting.size() == 1) return found;
  if (fitting.empty()) {
    throw InputError(place + ": unknown " + std::string(kind) + suggestion(wanted, names) + "; the " +
                     std::string(kind) + "s are: " + joined(names) + ", or a path to a .toml file");
  }
  throw InputError(place + ": fits several " + std::string(kind) + "s; name one of: " + joined(fitting));
}

}  // namespace tilemeter
