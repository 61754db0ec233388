#include "model/fusion.hpp"

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

std::string_view name_of(SoftmaxPasses passes) {
  switch (passes) {
    case SoftmaxPasses::naive:
      return "naive";
    case SoftmaxPasses::safe:
      return "safe, 3 passes";
    case SoftmaxPasses::online:
      return "online, 2 passes";
    case SoftmaxPasses::resident:
      return "row on chip";
  }
  return "";
}

Moved softmax_moves(SoftmaxPasses passes, Count length) {
  Count loads = 0;
  switch (passes) {
    case SoftmaxPasses::naive:
    case SoftmaxPasses::online:
      loads = 2;
      break;
    case SoftmaxPasses::safe:
      loads = 3;
      break;
    case SoftmaxPasses::resident:
      loads = 1;
      break;
  }
  return named("the traffic of the softmax", [&] { return Moved{Elements(length) * loads, Elements(length)}; });
}

Count softmax_exponentials(SoftmaxPasses passes, Count length) {
  return named("the exponentials of the softmax", [&] {
    switch (passes) {
      case SoftmaxPasses::naive:
      case SoftmaxPasses::safe:
        return checked::multiply(2, length);
      case SoftmaxPasses::online:
        return checked::subtract(checked::multiply(3, length), 1);
      case SoftmaxPasses::resident:
        return length;
    }
    return length;
  });
}

}  // namespace tilemeter
