#include "model/fusion.hpp"

#include "model/closed_form/catalog.hpp"

namespace tilemeter {
namespace {

Moved moved(const Chain& chain, Count kernels) {
  return named("the traffic of the chain", [&] {
    const Elements all(checked::multiply(kernels, chain.length));
    Elements read = all;
    for (const Count side : chain.side) read += Elements(side);
    return Moved{read, all};
  });
}

}  // namespace

Moved unfused(const Chain& chain) { return moved(chain, static_cast<Count>(chain.side.size())); }
Moved fused(const Chain& chain) { return moved(chain, 1); }

std::string_view softmax_label(Variant variant) {
  switch (variant) {
    case Variant::safe:
      return "safe, 3 passes";
    case Variant::online:
      return "online, 2 passes";
    case Variant::resident:
      return "row on chip";
    default:
      return name_of(variant);
  }
}

Moved softmax_moves(Variant variant, Count length) {
  Case row;
  row.shapes = {.rows = 1, .cols = length};
  row.options.variant = variant;
  const Traffic total = closed_form("softmax", row).total();
  return {.read = total.read, .write = total.write};
}

}  // namespace tilemeter
