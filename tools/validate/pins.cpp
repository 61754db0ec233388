#include "tools/validate/pins.hpp"

#include <cmath>
#include <map>
#include <set>

#include "model/error.hpp"
#include "tools/output/number.hpp"

namespace tilemeter::validation {
namespace {

constexpr double hundredths = 100;

/// A share as per cent with two decimals; null stays.
Json percent_of(const Json& share) {
  if (share.is_null()) return nullptr;
  return std::round(share.get<double>() * 100 * hundredths) / hundredths;
}

/// "time, split length, held out, flash3".
std::string name_of_pin(const Json& pin) {
  const std::string split = pin["split"].is_null() ? "" : "split " + pin["split"].get<std::string>() + ", ";
  return pin["metric"].get<std::string>() + ", " + split + pin["role"].get<std::string>() + ", " +
         pin["who"].get<std::string>();
}

bool is_worse(const Json& now, const Json& then) {
  if (then.is_null()) return false;
  if (now.is_null()) return true;
  return now.get<double>() > then.get<double>() + pin_slack_points + 1e-9;
}

std::string change_text(const Json& pin, const Json& now, const char* figure) {
  const auto text = [](const Json& value) { return value.is_null() ? "infinite" : fixed(value.get<double>(), 2); };
  return name_of_pin(pin) + ": " + figure + " error " + text(now[figure]) + " %, pinned at " + text(pin[figure]) + " %";
}

Json parsed_pins(std::string_view text, std::string_view origin) {
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object() || !document.contains("pins") || !document["pins"].is_array()) {
    throw InputError("--pins " + std::string(origin) + ": expected the JSON that `tilemeter validate --pins` wrote");
  }
  for (const Json& pin : document["pins"]) {
    for (const char* key : {"split", "role", "metric", "who", "mean", "max"}) {
      if (pin.is_object() && pin.contains(key)) continue;
      throw InputError("--pins " + std::string(origin) + ": a pin has no \"" + key + "\"");
    }
  }
  return document["pins"];
}

}  // namespace

Json pins_of(const Json& document) {
  Json json = document_json("validate");
  json["device"] = document["device"];
  json["unit"] = "%";
  json["pins"] = Json::array();
  for (const Json& summary : document["summaries"]) {
    Json pin;
    for (const char* key : {"metric", "split", "role", "who", "count"}) pin[key] = summary[key];
    pin["mean"] = percent_of(summary["mean"]);
    pin["max"] = percent_of(summary["max"]);
    json["pins"].push_back(std::move(pin));
  }
  return json;
}

std::string text_of_pins(const Json& pins) {
  Json head = pins;
  head.erase("pins");
  std::string text = head.dump();
  text.back() = ',';
  text += "\n\"pins\": [";
  std::string_view separator = "\n";
  for (const Json& pin : pins["pins"]) {
    text += std::string(separator) + pin.dump();
    separator = ",\n";
  }
  return text + "\n]}\n";
}

std::vector<std::string> broken_pins(const Json& document, std::string_view text, std::string_view origin) {
  const Json pins = parsed_pins(text, origin);
  std::map<std::string, Json> now;
  std::set<std::pair<Json, Json>> asked;
  const Json made = pins_of(document);
  for (const Json& pin : made["pins"]) {
    now[name_of_pin(pin)] = pin;
    asked.emplace(pin["metric"], pin["split"]);
  }
  std::vector<std::string> broken;
  for (const Json& pin : pins) {
    if (!asked.contains({pin["metric"], pin["split"]})) continue;
    const auto found = now.find(name_of_pin(pin));
    if (found == now.end()) {
      broken.push_back(name_of_pin(pin) + ": pinned, and no longer there");
      continue;
    }
    for (const char* figure : {"mean", "max"}) {
      if (is_worse(found->second[figure], pin[figure])) broken.push_back(change_text(pin, found->second, figure));
    }
  }
  return broken;
}

}  // namespace tilemeter::validation
