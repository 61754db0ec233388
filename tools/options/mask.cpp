#include "tools/options/mask.hpp"

#include "model/suggest.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

std::optional<Count> parse_side(std::string_view option, std::string_view text, std::string_view whole) {
  if (text == "-1") return std::nullopt;
  if (text.starts_with('-')) {
    throw InputError(quote(option, whole) + ": a side is -1 (unlimited), or 0 and more; not " + std::string(text));
  }
  return parse_count(quote(option, whole) + ": side", text, 0);
}

Mask window_of(std::string_view option, std::string_view whole, std::string_view left, std::string_view right) {
  Mask mask;
  mask.kind = MaskKind::window;
  mask.left = parse_side(option, left, whole);
  mask.right = parse_side(option, right, whole);
  return mask;
}

Mask mask_of_kind(MaskKind kind) {
  Mask mask;
  mask.kind = kind;
  return mask;
}

constexpr std::string_view window_start = "window:";

Mask parse_mask(std::string_view option, std::string_view text) {
  if (text == "none") return mask_of_kind(MaskKind::none);
  if (text == "causal") return mask_of_kind(MaskKind::causal);
  if (text == "causal_top_left" || text == "causal-top-left") return mask_of_kind(MaskKind::causal_top_left);
  const auto parts = split(text, ':');
  if (parts.size() == 3 && parts[0] == "window") return window_of(option, text, parts[1], parts[2]);
  throw InputError(quote(option, text) + " is not a mask" + suggestion(text, known_masks()) +
                   ": expected none, causal, causal_top_left or window:LEFT:RIGHT (-1 is unlimited)");
}

std::string side_text(const std::optional<Count>& side) { return side ? std::to_string(*side) : "-1"; }

}  // namespace

std::vector<std::string_view> known_masks() {
  return {name_of(MaskKind::none), name_of(MaskKind::causal), name_of(MaskKind::causal_top_left), window_start};
}

std::vector<Mask> parse_masks(std::string_view option, std::string_view text) {
  std::vector<Mask> masks;
  for (const std::string_view item : list_items(option, text)) masks.push_back(parse_mask(option, item));
  return masks;
}

Mask parse_window(std::string_view option, std::string_view text) {
  const auto sides = split(text, ',');
  if (sides.size() != 2) {
    throw InputError(quote(option, text) + ": expected LEFT,RIGHT such as 256,0; -1 is unlimited");
  }
  return window_of(option, text, sides[0], sides[1]);
}

Mask causal_window(const Mask& window) {
  if (window.right && *window.right > 0) {
    throw InputError("--causal contradicts --window " + side_text(window.left) + "," + side_text(window.right) +
                     ", which looks " + std::to_string(*window.right) + " keys ahead: expected --window " +
                     side_text(window.left) + ",0");
  }
  Mask mask = window;
  mask.right = 0;
  return mask;
}

std::string to_string(const Mask& mask) {
  std::string text(name_of(mask.kind));
  if (mask.kind != MaskKind::window) return text;
  text += ':';
  text += side_text(mask.left);
  text += ':';
  return text += side_text(mask.right);
}

}  // namespace tilemeter
