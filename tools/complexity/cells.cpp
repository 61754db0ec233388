#include "tools/complexity/cells.hpp"

#include <cmath>

namespace tilemeter::complexity {

using tables::Cell;
using tables::Decimal;

namespace {

std::string short_text(double value) {
  std::string text = Json(std::round(value * 1e5) / 1e5).dump();
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

}  // namespace

std::string_view text_at(const Json& object, const char* key) { return object.at(key).get_ref<const std::string&>(); }
Cell words(const Json& object, const char* key) { return std::string(text_at(object, key)); }
Cell whole(const Json& object, const char* key) {
  return object.at(key).is_null() ? Cell{} : Cell{object.at(key).get<Count>()};
}
Cell decimal(const Json& value, int decimals) {
  return value.is_null() ? Cell{} : Cell{Decimal{value.get<double>(), decimals}};
}

Cell accepted_cell(const Json& accepted) {
  const Json& from = accepted.at("from");
  const Json& to = accepted.at("to");
  if (from.is_null() && to.is_null()) return {};
  if (to.is_null()) return ">= " + short_text(from.get<double>());
  if (from.is_null()) return "<= " + short_text(to.get<double>());
  const double low = from.get<double>();
  const double high = to.get<double>();
  if (high - low < 1e-6) return short_text((low + high) / 2);
  return short_text(low) + " to " + short_text(high);
}

}  // namespace tilemeter::complexity
