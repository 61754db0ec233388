#include "model/capacity_message.hpp"

#include "model/digits.hpp"

namespace tilemeter {
namespace {

constexpr Count kibibyte = 1024;

enum class Unit { elements, bytes, kibibytes };

std::string with_decimals(Count bytes, int decimals) {
  return fixed_digits(static_cast<double>(bytes) / static_cast<double>(kibibyte), decimals);
}

/// KiB with two decimals at most and no trailing zeros: "64", "24.5", "0.25".
std::string short_kib(Count bytes) {
  std::string text = with_decimals(bytes, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "0" && bytes > 0 ? "<0.01" : text;
}

std::string amount(Count value, Unit unit) {
  switch (unit) {
    case Unit::elements:
      return std::to_string(value) + " elements";
    case Unit::bytes:
      return std::to_string(value) + " B";
    case Unit::kibibytes:
      return with_decimals(value, 1) + " KiB";
  }
  return "";
}

/// One limit that may be passed: what counts against it, and how it is called.
struct Limit {
  Count needed;
  Count allowed;
  Unit unit;
  std::string_view place;                     ///< after the need: " of shared memory"
  std::string_view holder;                    ///< after the limit: " a block"
  std::optional<Space> space = std::nullopt;  ///< of the tiles that count; all when absent
};

Unit unit_for(Count needed, Count allowed) {
  return allowed < kibibyte || needed - allowed <= kibibyte / 10 ? Unit::bytes : Unit::kibibytes;
}

std::string part(const OnChipTile& tile, Unit unit) {
  const Count copies = tile.copies > 1 ? tile.copies : 1;
  const Count one = (unit == Unit::elements ? tile.elements().value() : tile.bytes().value()) / copies;
  const std::string ring = copies > 1 ? std::to_string(copies) + "x" : "";
  return tile.name + " " + ring + (unit == Unit::kibibytes ? short_kib(one) : std::to_string(one));
}

std::string described(const Limit& limit, const std::vector<OnChipTile>& tiles, const std::string& owner) {
  std::string parts;
  for (const OnChipTile& tile : tiles) {
    if (limit.space && tile.space != *limit.space) continue;
    parts += (parts.empty() ? "" : " + ") + part(tile, limit.unit);
  }
  return amount(limit.needed, limit.unit) + std::string(limit.place) + ": " + parts + "; " + owner + " allows " +
         amount(limit.allowed, limit.unit) + std::string(limit.holder);
}

std::vector<Limit> passed_limits(const Footprint& use, const Budget& budget) {
  std::vector<Limit> passed;
  const auto in_bytes = [&](Bytes needed, const std::optional<Bytes>& allowed, std::string_view place,
                            std::string_view holder, std::optional<Space> space) {
    if (!allowed || needed <= *allowed) return;
    const Unit unit = unit_for(needed.value(), allowed->value());
    passed.push_back({needed.value(), allowed->value(), unit, place, holder, space});
  };
  if (budget.placement == Placement::gpu) {
    in_bytes(use.shared, budget.bytes, " of shared memory", " a block", Space::shared);
    in_bytes(use.registers, budget.registers, " of registers", " a block", Space::registers);
  } else if (budget.elements) {
    const Limit limit{use.elements.value(), budget.elements->value(), Unit::elements, "", ""};
    if (limit.needed > limit.allowed) passed.push_back(limit);
  } else {
    in_bytes(use.bytes(), budget.bytes, " on chip", "", std::nullopt);
  }
  return passed;
}

}  // namespace

std::string capacity_message(const std::string& subject, const std::vector<OnChipTile>& tiles, const Budget& budget) {
  const std::vector<Limit> limits = passed_limits(footprint_of(tiles), budget);
  if (limits.empty()) return subject + " fits " + budget.owner;
  std::string text = subject + " needs ";
  for (const Limit& limit : limits) {
    if (&limit != &limits.front()) text += "; and ";
    text += described(limit, tiles, budget.owner);
  }
  return text;
}

}  // namespace tilemeter
