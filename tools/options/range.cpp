#include "tools/options/range.hpp"

#include <algorithm>

#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

/// A value of either kind of range; counts have the unit `elements`.
using Parse = Size (*)(std::string_view option, std::string_view text, Count minimum);

struct Grammar {
  std::string_view option;
  Count minimum;
  Parse parse;
  std::string (*shown)(Size);
};

[[noreturn]] void refuse(const Grammar& grammar, std::string_view item, const std::string& why) {
  throw InputError(quote(grammar.option, item) + why + ": expected a,b,c or from:to:*2 or from:to:+64");
}

void append(const Grammar& grammar, std::string_view item, Size value, std::vector<Size>& values) {
  if (values.size() >= most_values) {
    refuse(grammar, item, " stands for more than " + std::to_string(most_values) + " values");
  }
  values.push_back(value);
}

/// Appends first, first (op) step, ... up to `last`; a step past 2^63 - 1 ends the range.
template <class Advance>
void expand(const Grammar& grammar, std::string_view item, Size first, Count last, Advance advance,
            std::vector<Size>& values) {
  try {
    for (Size value = first; value.amount <= last; value.amount = advance(value.amount)) {
      append(grammar, item, value, values);
    }
  } catch (const UnnamedOverflow&) {
    return;
  }
}

void append_range(const Grammar& grammar, std::string_view item, const std::vector<std::string_view>& parts,
                  std::vector<Size>& values) {
  const std::string place = quote(grammar.option, item) + ": ";
  const Size from = grammar.parse(place + "start", parts[0], grammar.minimum);
  const Size to = grammar.parse(place + "end", parts[1], grammar.minimum);
  if (from.unit != to.unit) refuse(grammar, item, " mixes bytes and elements");
  if (from.amount > to.amount) refuse(grammar, item, " starts above its end");
  const std::string_view step = parts[2];
  if (step.starts_with('*') || step.starts_with('x')) {
    const Count factor = parse_count(place + "factor", step.substr(1), 2);
    if (from.amount == 0) refuse(grammar, item, " multiplies from 0");
    expand(
        grammar, item, from, to.amount, [&](Count value) { return checked::multiply(value, factor); }, values);
  } else if (step.starts_with('+')) {
    const Size increment = grammar.parse(place + "step", step.substr(1), 1);
    if (increment.unit != from.unit) refuse(grammar, item, " mixes bytes and elements");
    expand(
        grammar, item, from, to.amount, [&](Count value) { return checked::add(value, increment.amount); }, values);
  } else {
    refuse(grammar, item, " has no step of the form *2, x2 or +64");
  }
}

void refuse_repeats(const Grammar& grammar, std::string_view text, const std::vector<Size>& values) {
  if (text.find(',') == std::string_view::npos) return;
  std::vector<Size> sorted = values;
  std::sort(sorted.begin(), sorted.end(),
            [](const Size& a, const Size& b) { return std::pair(a.unit, a.amount) < std::pair(b.unit, b.amount); });
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse_repeated(grammar.option, grammar.shown(*twice), text);
}

std::vector<Size> parse(const Grammar& grammar, std::string_view text) {
  std::vector<Size> values;
  for (const std::string_view item : split(text, ',')) {
    const auto parts = split(item, ':');
    if (parts.size() == 1) {
      append(grammar, item, grammar.parse(grammar.option, item, grammar.minimum), values);
    } else if (parts.size() == 3) {
      append_range(grammar, item, parts, values);
    } else {
      refuse(grammar, item, parts.size() == 2 ? " has no step" : " has too many parts");
    }
  }
  refuse_repeats(grammar, text, values);
  return values;
}

}  // namespace

std::vector<Count> parse_counts(std::string_view option, std::string_view text, Count minimum) {
  const auto number = [](std::string_view name, std::string_view word, Count least) {
    return Size{parse_count(name, word, least), SizeUnit::elements};
  };
  const auto shown = [](Size value) { return std::to_string(value.amount); };
  std::vector<Count> counts;
  for (const Size& value : parse({option, minimum, number, shown}, text)) counts.push_back(value.amount);
  return counts;
}

std::vector<Size> parse_sizes(std::string_view option, std::string_view text) {
  const auto size = [](std::string_view name, std::string_view word, Count) { return parse_size(name, word); };
  return parse({option, 1, size, to_string}, text);
}

}  // namespace tilemeter
